package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"

	businessv1 "example.com/greeter/gen/authservice/business/v1"
)

const chunkBytes = 64 << 10

// upload stores a file in the caller's tenant and returns its name.
func upload(ctx context.Context, files businessv1.FileServiceClient, fileName string, content []byte, options ...grpc.CallOption) (*businessv1.StagedFile, error) {
	// The core ends a call without a deadline after 10 s, and a stream after 10 min.
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel() // Ends the stream in every case.
	prepared, err := files.PrepareFile(ctx, &businessv1.PrepareFileRequest{
		FileName: fileName, ContentType: "application/octet-stream", Size: int64(len(content)),
	}, options...)
	if err != nil {
		return nil, err
	}
	stream, err := files.UploadFile(ctx, options...)
	if err != nil {
		return nil, err
	}
	err = stream.Send(&businessv1.UploadFileRequest{Part: &businessv1.UploadFileRequest_File{File: prepared.File}})
	for rest := content; err == nil && len(rest) > 0; {
		chunk := rest[:min(chunkBytes, len(rest))]
		rest = rest[len(chunk):]
		err = stream.Send(&businessv1.UploadFileRequest{Part: &businessv1.UploadFileRequest_Chunk{Chunk: chunk}})
	}
	// io.EOF: the core ended the upload early. CloseAndRecv returns the reason.
	if err != nil && err != io.EOF {
		return nil, err
	}
	stored, err := stream.CloseAndRecv()
	if err != nil {
		return nil, err
	}
	if digest := sha256.Sum256(content); !bytes.Equal(stored.ReceivedSha256, digest[:]) {
		return nil, errors.New("other bytes arrived than were sent")
	}
	return stored.File, nil
}
