package io.authservice.grpc;

import authservice.paging.v1.PageInfo;
import authservice.paging.v1.PageRequest;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Lists in pages. */
public final class Pages {
  /** The items of a response, and its page. */
  public record Page<T>(List<T> items, PageInfo page) {}

  private static final int PER_PAGE = 100;

  /**
   * Reads all pages of a list, each when its first item is needed. Sort by {@code createdAt}: new records then come last and move no
   * other.
   *
   * <pre>{@code
   * Stream<Product> products = Pages.readAll(page -> {
   *   var response = client.listProducts(ListProductsRequest.newBuilder().setPage(page).setSort("createdAt").build());
   *   return new Pages.Page<>(response.getProductsList(), response.getPage());
   * });
   * }</pre>
   */
  public static <T> Stream<T> readAll(Function<PageRequest, Page<T>> read) {
    PageRequest first = PageRequest.newBuilder().setPage(1).setPerPage(PER_PAGE).build();
    return Stream.iterate(Step.of(first, read), step -> step != null, step -> step.next(read))
        .flatMap(step -> step.page.items.stream());
  }

  private record Step<T>(PageRequest request, Page<T> page) {
    static <T> Step<T> of(PageRequest request, Function<PageRequest, Page<T>> read) {
      return new Step<>(request, read.apply(request));
    }

    /** Returns the next page, or null after the last one. */
    Step<T> next(Function<PageRequest, Page<T>> read) {
      PageInfo info = page.page;
      if (info.hasNext()) return of(PageRequest.newBuilder().setPerPage(PER_PAGE).setAfter(info.getNext()).build(), read);
      // A list that is read by `next` ends without it.
      boolean isLast = request.hasAfter() || page.items.isEmpty();
      if (isLast || (long) request.getPage() * info.getPerPage() >= info.getTotal()) return null;
      return of(request.toBuilder().setPage(request.getPage() + 1).build(), read);
    }
  }

  private Pages() {}
}
