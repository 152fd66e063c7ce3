package simulator

import (
	"net/http"
	"time"
)

// chaotic is what chaos lets happen, each as often as any other that fits.
var chaotic = []Hit{
	{Effect: Effect{Kind: FaultStatus, Status: http.StatusServiceUnavailable, RetryAfter: Duration(time.Second)}},
	{Effect: Effect{Kind: FaultStatus, Status: http.StatusTooManyRequests, RetryAfter: Duration(time.Second)}},
	{Effect: Effect{Kind: FaultStatus, Status: http.StatusInternalServerError}},
	{Effect: Effect{Kind: FaultLatency, Distribution: Lognormal, MS: 800, MaxMS: 5000}},
	{Effect: Effect{Kind: FaultReset}},
	{Effect: Effect{Kind: FaultReset}, Phase: After},
	{Effect: Effect{Kind: FaultTruncate}},
}
