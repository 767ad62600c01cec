import authservice.identity.v1.GetMeRequest;
import authservice.identity.v1.IdentityServiceGrpc;
import io.authservice.grpc.Core;
import io.authservice.grpc.Credentials;

public class Main {
  public static void main(String[] args) throws Exception {
    var credential = Credentials.client("acme-sync", "demo-secret-acme-sync-0123456789abcdef");
    try (Core core = Core.builder("dns:///127.0.0.1:50051").credential(credential).build()) {
      var me = IdentityServiceGrpc.newBlockingStub(core.channel()).getMe(GetMeRequest.getDefaultInstance());
      System.out.println("account: " + me.getAccount().getUsername());
    }
  }
}
