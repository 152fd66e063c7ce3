package config

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// days matches the leading days of a duration such as 30d or 1d12h.
var days = regexp.MustCompile(`^(\d+)d(.*)$`)

// ParseDuration reads a duration as time.ParseDuration does, with d for days of 24 hours in front.
func ParseDuration(text string) (time.Duration, error) {
	rest := strings.TrimSpace(text)
	var whole time.Duration
	if m := days.FindStringSubmatch(rest); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 16)
		if err != nil {
			return 0, errors.New("too long; accepted: up to 32767d")
		}
		if whole, rest = time.Duration(n)*day, m[2]; rest == "" {
			return whole, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || whole > 0 && d < 0 {
		return 0, errors.New("not a duration; accepted: numbers with a unit, such as 250ms, 5s, 10m, 24h or 30d")
	}
	return whole + d, nil
}

// FormatDuration writes a duration in its shortest form that ParseDuration reads.
func FormatDuration(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
