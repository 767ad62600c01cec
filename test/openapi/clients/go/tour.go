// Logs in, creates a customer and reads two pages of the list: arguments are the base URL, the username and the password.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"example.com/authservice/client"
)

func main() {
	url, username, password := os.Args[1], os.Args[2], os.Args[3]
	configuration := authservice.NewConfiguration()
	configuration.Servers = authservice.ServerConfigurations{{URL: url}}
	client := authservice.NewAPIClient(configuration)
	ctx := context.Background()

	login := authservice.NewLoginRequest(username, password)
	session, _, err := client.SessionAPI.Login(ctx).LoginRequest(*login).Execute()
	check(err)
	configuration.AddDefaultHeader("Authorization", "Bearer "+session.GetAccessToken())

	request := authservice.NewCreateCustomerRequest("Go client")
	request.SetPhone("+49 30 2")
	created, _, err := client.CustomersAPI.CreateCustomer(ctx).CreateCustomerRequest(*request).Execute()
	check(err)
	pages, total := "", ""
	for _, page := range []int32{1, 2} {
		customers, response, err := client.CustomersAPI.ListCustomers(ctx).Page(page).PerPage(2).Execute()
		check(err)
		for _, customer := range customers {
			pages += " " + customer.GetId()
		}
		total = response.Header.Get("X-Total-Count")
	}
	fmt.Printf("created %s\ntotal %s\nlisted%s\n", created.GetId(), total, pages)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
