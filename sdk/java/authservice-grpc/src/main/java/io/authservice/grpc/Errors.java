package io.authservice.grpc;

import authservice.error.v1.Reason;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** The details of an error from the core. */
public final class Errors {
  /**
   * Returns the reason of an error. Branch on it, never on the text. It is {@code REASON_UNSPECIFIED} for errors of the network or
   * the gRPC library, and for reasons of a newer core.
   */
  public static Reason reasonOf(Throwable error) {
    String name = "REASON_" + infoOf(error).getReason();
    return Arrays.stream(Reason.values())
        .filter(reason -> reason.name().equals(name))
        .findAny()
        .orElse(Reason.REASON_UNSPECIFIED);
  }

  /** Returns the name of the reason and its facts, for example the metadata {@code requestId}. */
  public static ErrorInfo infoOf(Throwable error) {
    return detail(error, ErrorInfo.getDefaultInstance());
  }

  /** Returns the fields of the request that break a rule. */
  public static List<BadRequest.FieldViolation> violationsOf(Throwable error) {
    return detail(error, BadRequest.getDefaultInstance()).getFieldViolationsList();
  }

  /** Returns how long to wait before the next attempt; zero if a retry does not help. */
  public static Duration retryAfter(Throwable error) {
    com.google.protobuf.Duration delay = detail(error, RetryInfo.getDefaultInstance()).getRetryDelay();
    return Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Message> T detail(Throwable error, T absent) {
    Status status = StatusProto.fromThrowable(error);
    if (status == null) return absent;
    for (Any detail : status.getDetailsList()) {
      try {
        if (detail.is(absent.getClass())) return (T) detail.unpack(absent.getClass());
      } catch (InvalidProtocolBufferException malformed) {
        return absent;
      }
    }
    return absent;
  }

  private Errors() {}
}
