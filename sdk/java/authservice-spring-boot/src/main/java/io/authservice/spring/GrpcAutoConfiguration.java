package io.authservice.spring;

import static io.authservice.spring.AuthserviceProperties.require;

import io.authservice.grpc.Core;
import io.authservice.grpc.Credentials;
import io.authservice.spring.AuthserviceProperties.Grpc;
import io.grpc.Channel;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The connection to the core, if the application has the dependency authservice-grpc. */
@AutoConfiguration
@ConditionalOnClass(Core.class)
@ConditionalOnProperty("authservice.grpc.target")
@EnableConfigurationProperties(AuthserviceProperties.class)
public class GrpcAutoConfiguration {
  /** The calls of its channel send the token of the machine client. */
  @Bean
  @ConditionalOnMissingBean
  Core authserviceCore(AuthserviceProperties properties) throws IOException {
    Grpc grpc = properties.grpc();
    Core.Builder core = Core.builder(grpc.target()).serverName(grpc.serverName()).timeout(grpc.timeout());
    if (grpc.ca() != null) {
      TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder().trustManager(new File(grpc.ca()));
      if (grpc.cert() != null) {
        tls.keyManager(new File(grpc.cert()), new File(require(grpc.key(), "grpc.key", "authservice.grpc.cert")));
      }
      core.tls(tls.build());
    }
    if (properties.clientId() != null) {
      String secret = require(properties.clientSecret(), "client-secret", "authservice.client-id");
      core.credential(Credentials.client(properties.clientId(), secret));
    }
    return core.build();
  }

  /** For stubs: {@code IdentityServiceGrpc.newBlockingStub(channel)}. */
  @Bean
  @ConditionalOnMissingBean
  Channel authserviceChannel(Core core) {
    return core.channel();
  }
}
