package authservice

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"

	businessv1 "example.com/authservice/sdk/go/authservice/business/v1"
)

// The core refuses smaller chunks, apart from the last one.
const chunkBytes = 64 << 10

// Upload stores a file of size bytes in the caller's tenant and returns its name.
func Upload(ctx context.Context, files businessv1.FileServiceClient, fileName, contentType string, content io.Reader, size int64) (*businessv1.StagedFile, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // Ends the stream in every case.
	prepared, err := files.PrepareFile(ctx, &businessv1.PrepareFileRequest{FileName: fileName, ContentType: contentType, Size: size})
	if err != nil {
		return nil, err
	}
	stream, err := files.UploadFile(ctx)
	if err != nil {
		return nil, err
	}
	err = stream.Send(&businessv1.UploadFileRequest{Part: &businessv1.UploadFileRequest_File{File: prepared.File}})
	digest := sha256.New()
	for isLast := false; err == nil && !isLast; {
		// A message may still be in use after Send returns.
		chunk := make([]byte, chunkBytes)
		count, readErr := io.ReadFull(content, chunk)
		isLast = readErr != nil
		if isLast && readErr != io.EOF && readErr != io.ErrUnexpectedEOF {
			return nil, readErr
		}
		if count > 0 {
			digest.Write(chunk[:count])
			err = stream.Send(&businessv1.UploadFileRequest{Part: &businessv1.UploadFileRequest_Chunk{Chunk: chunk[:count]}})
		}
	}
	// io.EOF: the core ended the upload early. CloseAndRecv returns the reason.
	if err != nil && err != io.EOF {
		return nil, err
	}
	stored, err := stream.CloseAndRecv()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(stored.ReceivedSha256, digest.Sum(nil)) {
		return nil, errors.New("upload: other bytes arrived than were sent")
	}
	return stored.File, nil
}

// Download writes a file of the caller's tenant to a writer and returns its metadata. It returns an error if the digest of the bytes
// is wrong.
func Download(ctx context.Context, files businessv1.FileServiceClient, file *businessv1.StagedFile, target io.Writer) (*businessv1.FileContent, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // Ends the stream in every case.
	stream, err := files.DownloadFile(ctx, &businessv1.DownloadFileRequest{File: file})
	if err != nil {
		return nil, err
	}
	first, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	content := first.GetStart().GetContent()
	digest := sha256.New()
	target = io.MultiWriter(target, digest)
	for {
		part, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if _, err := target.Write(part.GetChunk()); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(content.GetSha256(), digest.Sum(nil)) {
		return nil, errors.New("download: other bytes arrived than are stored")
	}
	return content, nil
}
