package authservice

import (
	"iter"

	pagingv1 "example.com/authservice/sdk/go/authservice/paging/v1"
)

const perPage = 100

// ReadAll reads all pages of a list, one at a time. Sort by createdAt: new records then come last and move no other. After an error,
// it ends. The function returns the items of a response and its page:
//
//	products := authservice.ReadAll(func(page *pagingv1.PageRequest) ([]*businessv1.Product, *pagingv1.PageInfo, error) {
//		response, err := client.ListProducts(ctx, &businessv1.ListProductsRequest{Page: page, Sort: "createdAt"})
//		return response.GetProducts(), response.GetPage(), err
//	})
//	for product, err := range products { … }
func ReadAll[Item any](read func(*pagingv1.PageRequest) ([]Item, *pagingv1.PageInfo, error)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		request := &pagingv1.PageRequest{Page: 1, PerPage: perPage}
		for number := int32(1); ; {
			items, page, err := read(request)
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if page.GetNext() != "" {
				next := page.GetNext()
				request = &pagingv1.PageRequest{PerPage: perPage, After: &next}
				continue
			}
			// A list that is read by next ends without it.
			if request.After != nil || len(items) == 0 || int64(number)*int64(page.GetPerPage()) >= page.GetTotal() {
				return
			}
			number++
			request = &pagingv1.PageRequest{Page: number, PerPage: perPage}
		}
	}
}
