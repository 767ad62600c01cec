import com.example.shop.Shop;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Runs the shop once for each argument, its profiles separated by commas, in one process. */
class SpringShops {
  public static void main(String[] args) {
    for (String profiles : args) {
      var shop =
          new SpringApplicationBuilder(Shop.class)
              .profiles(profiles.split(","))
              .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off", "logging.level.root=warn")
              .run();
      System.out.printf("listening on http://127.0.0.1:%s%n", shop.getEnvironment().getProperty("local.server.port"));
    }
  }
}
