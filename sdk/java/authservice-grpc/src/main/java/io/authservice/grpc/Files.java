package io.authservice.grpc;

import authservice.business.v1.DownloadFileRequest;
import authservice.business.v1.DownloadFileResponse;
import authservice.business.v1.FileContent;
import authservice.business.v1.FileServiceGrpc;
import authservice.business.v1.PrepareFileRequest;
import authservice.business.v1.StagedFile;
import authservice.business.v1.UploadFileRequest;
import authservice.business.v1.UploadFileResponse;
import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Uploads and downloads of files as streams of chunks. */
public final class Files {
  /** The core refuses smaller chunks, apart from the last one. */
  private static final int CHUNK_BYTES = 64 << 10;

  /** Stores a file of {@code size} bytes in the caller's tenant and returns its name. */
  public static StagedFile upload(Channel channel, String fileName, String contentType, InputStream content, long size)
      throws IOException, InterruptedException {
    StagedFile file =
        FileServiceGrpc.newBlockingStub(channel)
            .prepareFile(
                PrepareFileRequest.newBuilder()
                    .setFileName(fileName)
                    .setContentType(contentType)
                    .setSize(size)
                    .build())
            .getFile();
    Sender sender = new Sender(file, content);
    FileServiceGrpc.newStub(channel).uploadFile(sender);
    try {
      UploadFileResponse stored = sender.stored.get();
      if (!stored.getReceivedSha256().equals(ByteString.copyFrom(sender.digest.digest()))) {
        throw new IOException("upload: other bytes arrived than were sent");
      }
      return stored.getFile();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof StatusRuntimeException refused) throw refused;
      throw new IOException("upload: the content cannot be read", failed.getCause());
    }
  }

  /** Writes a file of the caller's tenant to a stream and returns its metadata. Throws an IOException if the digest of the bytes is wrong. */
  public static FileContent download(Channel channel, StagedFile file, OutputStream target) throws IOException {
    // Ends the call if the target cannot be written.
    try (Context.CancellableContext call = Context.current().withCancellation()) {
      Context former = call.attach();
      try {
        Iterator<DownloadFileResponse> parts =
            FileServiceGrpc.newBlockingStub(channel)
                .downloadFile(DownloadFileRequest.newBuilder().setFile(file).build());
        FileContent content = parts.next().getStart().getContent();
        MessageDigest digest = sha256();
        DigestOutputStream verified = new DigestOutputStream(target, digest);
        while (parts.hasNext()) parts.next().getChunk().writeTo(verified);
        if (!content.getSha256().equals(ByteString.copyFrom(digest.digest()))) {
          throw new IOException("download: other bytes arrived than are stored");
        }
        return content;
      } finally {
        call.detach(former);
      }
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Sends as much as the connection accepts at a time. */
  private static final class Sender implements ClientResponseObserver<UploadFileRequest, UploadFileResponse> {
    private final StagedFile file;
    private final InputStream content;
    final MessageDigest digest = sha256();
    final CompletableFuture<UploadFileResponse> stored = new CompletableFuture<>();
    private boolean isNamed;
    private boolean isComplete;

    Sender(StagedFile file, InputStream content) {
      this.file = file;
      this.content = content;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<UploadFileRequest> stream) {
      stream.setOnReadyHandler(
          () -> {
            try {
              while (stream.isReady() && !isComplete) sendNext(stream);
            } catch (IOException unreadable) {
              isComplete = true;
              stored.completeExceptionally(unreadable);
              stream.cancel("the content cannot be read", unreadable);
            }
          });
    }

    private void sendNext(ClientCallStreamObserver<UploadFileRequest> stream) throws IOException {
      if (!isNamed) {
        isNamed = true;
        stream.onNext(UploadFileRequest.newBuilder().setFile(file).build());
        return;
      }
      byte[] chunk = content.readNBytes(CHUNK_BYTES);
      if (chunk.length > 0) {
        digest.update(chunk);
        stream.onNext(UploadFileRequest.newBuilder().setChunk(ByteString.copyFrom(chunk)).build());
      }
      if (chunk.length == CHUNK_BYTES) return;
      isComplete = true;
      stream.onCompleted();
    }

    @Override
    public void onNext(UploadFileResponse response) {
      stored.complete(response);
    }

    @Override
    public void onError(Throwable error) {
      stored.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      stored.completeExceptionally(Status.INTERNAL.withDescription("no response").asRuntimeException());
    }
  }

  private Files() {}
}
