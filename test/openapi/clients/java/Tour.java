package com.example;

import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.CustomersApi;
import org.openapitools.client.api.SessionApi;
import org.openapitools.client.model.CreateCustomerRequest;
import org.openapitools.client.model.Customer;
import org.openapitools.client.model.LoginRequest;

/** Logs in, creates a customer and reads two pages of the list: arguments are the base URL, the username and the password. */
public final class Tour {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    String token = new SessionApi(client)
        .login(new LoginRequest().username(arguments[1]).password(arguments[2]))
        .getAccessToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));

    CustomersApi customers = new CustomersApi(client);
    Customer created = customers.createCustomer(new CreateCustomerRequest().name("Java client").phone("+49 30 1"));
    String pages = "";
    String total = "";
    for (int page : List.of(1, 2)) {
      ApiResponse<List<Customer>> response = customers.listCustomersWithHttpInfo(page, 2, null, null, null);
      for (Customer customer : response.getData()) pages += " " + customer.getId();
      total = header(response.getHeaders(), "x-total-count");
    }
    System.out.println("created " + created.getId());
    System.out.println("total " + total);
    System.out.println("listed" + pages);
  }

  private static String header(Map<String, List<String>> headers, String name) {
    return headers.get(name).get(0);
  }
}
