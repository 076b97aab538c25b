package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"
)

// Timeouts of calls to S3, including their retries. They are short, because callers
// wait, and because a call may run inside a transaction, which ends after 10 s.
const (
	s3DialTimeout        = 2 * time.Second
	s3CredentialsTimeout = 3 * time.Second
	s3CallTimeout        = 4 * time.Second
	s3TransferTimeout    = 10 * time.Second       // for one part of an object
	s3MaxBackoff         = 400 * time.Millisecond // so that all attempts to reach a store that is away end before /readyz responds
)

// newS3Client returns a client with the credentials that the AWS SDKs find.
func newS3Client(location s3Location) (*s3.Client, error) {
	options := []func(*config.LoadOptions) error{
		config.WithHTTPClient(awshttp.NewBuildableClient().
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = s3DialTimeout }).
			WithTransportOptions(func(t *http.Transport) { t.TLSHandshakeTimeout = s3DialTimeout })),
		config.WithRetryer(func() aws.Retryer {
			standard := retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = s3MaxBackoff })
			return retry.AddWithErrorCodes(standard, "ConditionalRequestConflict") // another Create of the same key is in progress
		}),
		config.WithLogger(logging.LoggerFunc(func(_ logging.Classification, format string, values ...any) {
			slog.Debug("S3 client: " + fmt.Sprintf(format, values...))
		})),
	}
	switch {
	case location.region != "":
		options = append(options, config.WithRegion(location.region))
	case location.endpoint != "":
		options = append(options, config.WithDefaultRegion("us-east-1")) // most servers other than AWS ignore it
	}
	loaded, err := config.LoadDefaultConfig(context.Background(), options...)
	if err != nil {
		return nil, fmt.Errorf("the AWS configuration cannot be read: %w", err)
	}
	if loaded.Region == "" {
		return nil, errors.New("the region is unknown: add region=… to OBJECTS_URL, or set AWS_REGION")
	}
	loaded.Credentials = s3Credentials{loaded.Credentials}
	return s3.NewFromConfig(loaded, func(o *s3.Options) {
		o.UsePathStyle = location.pathStyle
		if location.endpoint != "" {
			o.BaseEndpoint = &location.endpoint
		}
		o.APIOptions = append(o.APIOptions, limitTime)
	}), nil
}

// s3Credentials marks the errors of a provider of credentials.
type s3Credentials struct{ aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (c s3Credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, s3CredentialsTimeout)
	defer cancel()
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &noCredentials{err}
	}
	return found, nil
}

type noCredentials struct{ cause error }

func (e *noCredentials) Error() string { return "no credentials: " + e.cause.Error() }

// s3Timeout is the error of a call that took too long. It is not an error of the
// context, which would mean that the caller gave up.
type s3Timeout struct {
	limit time.Duration
	cause error
}

func (e *s3Timeout) Error() string { return fmt.Sprintf("no response within %s: %v", e.limit, e.cause) }

// limitTime limits the time of each call, except that of GetObject, whose response is
// still read after the call.
func limitTime(stack *middleware.Stack) error {
	limit := func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		timeout := s3CallTimeout
		switch in.Parameters.(type) {
		case *s3.GetObjectInput:
			return next.HandleInitialize(ctx, in)
		case *s3.PutObjectInput, *s3.UploadPartInput:
			timeout = s3TransferTimeout
		}
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		out, metadata, err := next.HandleInitialize(limited, in)
		return out, metadata, timedOut(ctx, limited, timeout, err)
	}
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("LimitTime", limit), middleware.Before)
}

// timedOut returns an *s3Timeout if the context that was derived from ctx with the
// timeout is the cause of the error, and otherwise the error.
func timedOut(ctx, limited context.Context, timeout time.Duration, err error) error {
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return &s3Timeout{timeout, err}
	}
	return err
}
