package com.example.greeter;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.List;

/** The details of an error from the core. */
final class Errors {
  /** Returns the reason of an error from the core; empty for errors of the network or the gRPC library. */
  static String reasonOf(Throwable error) {
    return detail(error, ErrorInfo.getDefaultInstance()).getReason();
  }

  /** Returns the fields of the request that break a rule. */
  static List<BadRequest.FieldViolation> violationsOf(Throwable error) {
    return detail(error, BadRequest.getDefaultInstance()).getFieldViolationsList();
  }

  /** Returns how long to wait before the next attempt; zero if a retry does not help. */
  static Duration retryAfter(Throwable error) {
    com.google.protobuf.Duration delay = detail(error, RetryInfo.getDefaultInstance()).getRetryDelay();
    return Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
  }

  /**
   * Whether the connection failed before the whole response arrived. The core may have processed the call: repeat it only if it
   * changes nothing.
   */
  static boolean isLost(StatusRuntimeException error) {
    return error.getStatus().getCode() == io.grpc.Status.Code.UNAVAILABLE && reasonOf(error).isEmpty();
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
