"""Logs in, creates a customer and reads two pages of the list: arguments are the base URL, the username and the password."""

import sys

from authservice_client import ApiClient, Configuration, CreateCustomerRequest, CustomersApi, LoginRequest, SessionApi


def main(url: str, username: str, password: str) -> None:
    client = ApiClient(Configuration(host=url))
    session = SessionApi(client).login(LoginRequest(username=username, password=password))
    client.set_default_header("Authorization", f"Bearer {session.access_token}")

    customers = CustomersApi(client)
    created = customers.create_customer(CreateCustomerRequest(name="Python client", phone="+49 30 3"))
    responses = [customers.list_customers_with_http_info(page=page, per_page=2) for page in (1, 2)]
    headers = {name.lower(): value for name, value in responses[-1].headers.items()}
    print("created", created.id)
    print("total", headers["x-total-count"])
    print("listed", *(customer.id for response in responses for customer in response.data))


main(*sys.argv[1:])
