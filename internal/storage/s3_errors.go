package storage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// failure returns the error of an operation: nil for nil, fs.ErrNotExist if there is no
// such object, the error itself if the context is the cause, and otherwise a *StoreError
// that says what to change.
func (s *s3Store) failure(ctx context.Context, operation string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", operation, err)
	case slices.Contains([]string{"NoSuchKey", "NotFound"}, s3ErrorCode(err)):
		return fmt.Errorf("%s: %w", operation, fs.ErrNotExist)
	}
	state, explanation := s.diagnose(err)
	return &StoreError{state, fmt.Errorf("%s: %s (%w)", operation, explanation, err)}
}

// Codes of errors of S3 and of servers that are compatible with it.
var (
	credentialCodes = []string{
		"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "InvalidSecurity", "TokenRefreshRequired", "InvalidClientTokenId", "AuthFailure", "NotSignedUp",
		"XAdminUserNotFound", // versitygw
	}
	regionCodes = []string{"PermanentRedirect", "TemporaryRedirect", "MovedPermanently", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "IncorrectEndpoint"}
	clockCodes  = []string{"RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"}
	fullCodes   = []string{"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded"}
	deniedCodes = []string{"AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden"}
)

// diagnose returns the state of the store in which it returns the error, and a clause
// that says what to change.
func (s *s3Store) diagnose(err error) (state, explanation string) {
	code, response := s3ErrorCode(err), new(smithyhttp.ResponseError)
	status := 0
	if errors.As(err, &response) {
		status = response.HTTPStatusCode()
	}
	switch {
	case isA[*noCredentials](err):
		return misconfigured, "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another source that the AWS SDKs know"
	case slices.Contains(credentialCodes, code):
		return misconfigured, "the credentials were rejected: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the other source from which the AWS SDKs take them"
	case code == "NoSuchBucket":
		return misconfigured, s.String() + " does not exist: create it, or correct OBJECTS_URL"
	case code == "InvalidBucketName":
		return misconfigured, fmt.Sprintf("%q is not the name of a bucket: correct OBJECTS_URL", s.bucket)
	case slices.Contains(regionCodes, code):
		return misconfigured, s.wrongRegion(response)
	case slices.Contains(clockCodes, code):
		return misconfigured, "the clocks of this server and of the object store differ by more than 15 minutes: correct them"
	case slices.Contains(fullCodes, code), status == http.StatusInsufficientStorage:
		return full, s.String() + " has no space left, or its quota is used up"
	case slices.Contains(deniedCodes, code) && isWrite(err):
		return readOnly, "the credentials are not allowed to write to " + s.String() + ": they need s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload"
	case slices.Contains(deniedCodes, code):
		return misconfigured, "the credentials are not allowed to read " + s.String() + ": they need s3:GetObject, s3:ListBucket and s3:ListBucketMultipartUploads"
	case isA[*tls.CertificateVerificationError](err):
		return misconfigured, "the certificate of the object store is not trusted: set AWS_CA_BUNDLE to the file of its certificate authority"
	case isTimeout(err):
		return notResponding, s.String() + " does not respond"
	case status == 0 && (isA[*net.OpError](err) || isA[*net.DNSError](err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return away, s.String() + " cannot be reached"
	}
	return failing, s.String() + " returns errors"
}

// wrongRegion says which region to configure, if the response names it.
func (s *s3Store) wrongRegion(response *smithyhttp.ResponseError) string {
	region := ""
	if response.Response != nil {
		region = response.Response.Header.Get("X-Amz-Bucket-Region")
	}
	if region == "" {
		return s.String() + " is in another region: set region=… in OBJECTS_URL to the region of the bucket"
	}
	return fmt.Sprintf("%s is in another region: set region=%s in OBJECTS_URL", s, strings.TrimSpace(region))
}

// s3ErrorCode returns the code of an error that S3 has returned, or "".
func s3ErrorCode(err error) string {
	if response, ok := errors.AsType[smithy.APIError](err); ok {
		return response.ErrorCode()
	}
	return ""
}

// isWrite reports whether err is the error of an operation that changes objects.
func isWrite(err error) bool {
	operation, ok := errors.AsType[*smithy.OperationError](err)
	return ok && !strings.HasPrefix(operation.OperationName, "Get") && !strings.HasPrefix(operation.OperationName, "List")
}

func isTimeout(err error) bool {
	network, ok := errors.AsType[net.Error](err)
	return isA[*s3Timeout](err) || ok && network.Timeout()
}

// isA reports whether an error of the type is in the tree of err.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
