package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"causeway/core"
)

// judge returns nil for an accepted message, and otherwise what the endpoint answered.
func judge(response *http.Response, now time.Time) error {
	status := response.StatusCode
	text := "answered " + strconv.Itoa(status)
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		text += "; redirects are not followed"
	case status == http.StatusGone:
		text += ": it wants no more events; remove it from the settings"
	}
	return core.Errorf(core.Unavailable, "%s", text).Retry(retryAfter(response, now))
}

// retryAfter reads both forms of the header, seconds and a date. An unreadable value counts as none.
func retryAfter(response *http.Response, now time.Time) time.Duration {
	value := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryTime/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), maxRetryTime)
}

// unavailable describes a try without a response. The texts are ours, because the texts of net/http contain the URL.
func unavailable(caller, limited context.Context, err error) error {
	switch {
	case caller.Err() != nil:
		return core.Errorf(core.Unavailable, "the try was interrupted").With(caller.Err())
	case limited.Err() != nil:
		return core.Errorf(core.Unavailable, "did not answer within 10 s")
	}
	return core.Errorf(core.Unavailable, "%s", problem(err))
}

// problem returns the first text that fits an error of net/http.
func problem(err error) string {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.Error()
	}
	if text := tlsProblem(err); text != "" {
		return "TLS: " + text
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return "its host does not exist in DNS"
		}
		return "its host was not resolved: DNS does not answer"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return "was not reached: " + errno.Error() // such as "connection refused"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "was not reached in time"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "closed the connection without an answer"
	}
	return "did not answer as HTTP requires"
}

// tlsProblem returns what is wrong with TLS, or nothing.
func tlsProblem(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "the certificate has expired or is not valid yet"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an unknown authority"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "the certificate is for other hosts"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate is not accepted"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "the port is not one of https"
	}
	if strings.Contains(err.Error(), "tls: ") { // alerts have no exported type
		return "the handshake failed"
	}
	return ""
}
