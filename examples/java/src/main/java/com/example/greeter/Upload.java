package com.example.greeter;

import authservice.business.v1.FileServiceGrpc;
import authservice.business.v1.PrepareFileRequest;
import authservice.business.v1.StagedFile;
import authservice.business.v1.UploadFileRequest;
import authservice.business.v1.UploadFileResponse;
import com.google.protobuf.ByteString;
import io.grpc.CallCredentials;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Uploads files as streams of chunks. */
final class Upload {
  private static final int CHUNK_BYTES = 64 << 10;

  /** Stores a file in the caller's tenant and returns its name. */
  static StagedFile upload(Channel channel, CallCredentials credential, String fileName, ByteString content)
      throws Exception {
    StagedFile file =
        FileServiceGrpc.newBlockingStub(channel)
            .withCallCredentials(credential)
            .withDeadlineAfter(5, TimeUnit.SECONDS)
            .prepareFile(
                PrepareFileRequest.newBuilder()
                    .setFileName(fileName)
                    .setContentType("application/octet-stream")
                    .setSize(content.size())
                    .build())
            .getFile();
    CompletableFuture<UploadFileResponse> stored = new CompletableFuture<>();
    FileServiceGrpc.newStub(channel)
        .withCallCredentials(credential)
        .withDeadlineAfter(60, TimeUnit.SECONDS)
        .uploadFile(new Sender(file, content, stored));
    UploadFileResponse answer;
    try {
      answer = stored.get();
    } catch (ExecutionException failed) {
      throw (StatusRuntimeException) failed.getCause();
    }
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.toByteArray());
    if (!answer.getReceivedSha256().equals(ByteString.copyFrom(digest))) {
      throw new IOException("other bytes arrived than were sent");
    }
    return answer.getFile();
  }

  /** Sends as much as the connection accepts at a time. */
  private static final class Sender implements ClientResponseObserver<UploadFileRequest, UploadFileResponse> {
    private final StagedFile file;
    private final ByteString content;
    private final CompletableFuture<UploadFileResponse> stored;
    private int sent = -1;

    Sender(StagedFile file, ByteString content, CompletableFuture<UploadFileResponse> stored) {
      this.file = file;
      this.content = content;
      this.stored = stored;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<UploadFileRequest> stream) {
      stream.setOnReadyHandler(
          () -> {
            while (stream.isReady() && sent < content.size()) {
              stream.onNext(next());
              if (sent == content.size()) stream.onCompleted();
            }
          });
    }

    private UploadFileRequest next() {
      if (sent < 0) {
        sent = 0;
        return UploadFileRequest.newBuilder().setFile(file).build();
      }
      ByteString chunk = content.substring(sent, Math.min(sent + CHUNK_BYTES, content.size()));
      sent += chunk.size();
      return UploadFileRequest.newBuilder().setChunk(chunk).build();
    }

    @Override
    public void onNext(UploadFileResponse answer) {
      stored.complete(answer);
    }

    @Override
    public void onError(Throwable error) {
      stored.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      stored.completeExceptionally(Status.INTERNAL.withDescription("no answer").asRuntimeException());
    }
  }

  private Upload() {}
}
