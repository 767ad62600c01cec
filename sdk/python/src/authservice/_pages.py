"""Lists in pages."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from authservice.paging.v1.paging_pb2 import PageInfo, PageRequest

_Item = TypeVar("_Item")
PER_PAGE = 100


def read_all(read: Callable[[PageRequest], tuple[Sequence[_Item], PageInfo]]) -> Iterator[_Item]:
    """Reads all pages of a list, one at a time. Sort by createdAt: new records then come last and move no other.

    read returns the items of a response and its page:

        def read(page):
            response = products.ListProducts(ListProductsRequest(page=page, sort="createdAt"))
            return response.products, response.page

        for product in read_all(read): ...
    """
    number = 1
    request = PageRequest(page=number, per_page=PER_PAGE)
    while True:
        items, page = read(request)
        yield from items
        if page.HasField("next"):
            request = PageRequest(per_page=PER_PAGE, after=page.next)
            continue
        # A list that is read by next ends without it.
        if request.HasField("after") or not items or number * page.per_page >= page.total:
            return
        number += 1
        request = PageRequest(page=number, per_page=PER_PAGE)
