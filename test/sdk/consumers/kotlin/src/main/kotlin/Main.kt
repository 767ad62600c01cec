import authservice.identity.v1.GetMeRequest
import authservice.identity.v1.IdentityServiceGrpc
import io.authservice.grpc.Core
import io.authservice.grpc.Credentials
import io.authservice.grpc.Errors
import io.grpc.StatusRuntimeException
import java.time.Duration

/** The first call of a process also loads classes and connects. The default is 5 s. */
val TIMEOUT: Duration = Duration.ofSeconds(30)

fun main() {
  val credential = Credentials.client(System.getenv("CORE_CLIENT_ID"), System.getenv("CORE_CLIENT_SECRET"))
  Core.builder(System.getenv("CORE_ADDRESS")).credential(credential).timeout(TIMEOUT).build().use { core ->
    val identity = IdentityServiceGrpc.newBlockingStub(core.channel())
    println("account: ${identity.getMe(GetMeRequest.getDefaultInstance()).account.username}")
  }
  Core.builder(System.getenv("CORE_ADDRESS")).timeout(TIMEOUT).build().use { core ->
    try {
      IdentityServiceGrpc.newBlockingStub(core.channel()).getMe(GetMeRequest.getDefaultInstance())
    } catch (error: StatusRuntimeException) {
      println("without a token: ${Errors.infoOf(error).reason}")
    }
  }
}
