package httpapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/deposits"
)

// scan reads a code in an image with a decoder that is not ours: a port of ZXing, which Android wallets use.
func scan(t testing.TB, picture image.Image) string {
	t.Helper()
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	if err != nil {
		t.Fatal(err)
	}
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true} // an upright picture, not a photo
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, hints)
	if err != nil {
		t.Fatalf("no code is found: %v", err)
	}
	return result.GetText()
}

var (
	viewBox = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)
	bar     = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)
)

// draw4 draws the bars of an SVG, four pixels for a module, on white.
func draw4(t testing.TB, svg []byte) image.Image {
	t.Helper()
	number := func(text []byte) int { n, _ := strconv.Atoi(string(text)); return 4 * n }
	size := viewBox.FindSubmatch(svg)
	if size == nil {
		t.Fatalf("no SVG: %.100s", svg)
	}
	picture := image.NewGray(image.Rect(0, 0, number(size[1]), number(size[2])))
	draw.Draw(picture, picture.Bounds(), image.White, image.Point{}, draw.Src)
	for _, m := range bar.FindAllSubmatch(svg, -1) {
		x, y := number(m[1]), number(m[2])
		draw.Draw(picture, image.Rect(x, y, x+number(m[3]), y+4), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return picture
}

// scanned is the text of the code in a response.
func scanned(t testing.TB, rec *httptest.ResponseRecorder) string {
	t.Helper()
	if rec.Header().Get("Content-Type") == "image/svg+xml" {
		return scan(t, draw4(t, rec.Body.Bytes()))
	}
	picture, err := png.Decode(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	return scan(t, picture)
}

func TestAddressQR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bitcoin, ripple := w.items(t, "/v1/addresses/BTC?amount=0.10")[0], w.items(t, "/v1/addresses/XRP")[0]
	if want := "bitcoin:" + bitcoin.Address + "?amount=0.1"; bitcoin.PaymentURI != want {
		t.Errorf("got payment_uri %s, want %s", bitcoin.PaymentURI, want)
	}
	for _, c := range []struct{ target, accept, contentType, text string }{
		{"/v1/addresses/BTC/qr", "", "image/svg+xml", "bitcoin:" + bitcoin.Address},
		{"/v1/addresses/btc/qr?network=bitcoin", "*/*", "image/svg+xml", "bitcoin:" + bitcoin.Address},
		{"/v1/addresses/BTC/qr?amount=0.10", "image/png", "image/png", "bitcoin:" + bitcoin.Address + "?amount=0.1"},
		{"/v1/addresses/BTC/qr?amount=21", "image/png;q=0.5, image/svg+xml", "image/svg+xml", "bitcoin:" + bitcoin.Address + "?amount=21"},
		{"/v1/addresses/BTC/qr", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", "image/svg+xml", "bitcoin:" + bitcoin.Address},
		{"/v1/addresses/BTC/qr", "image/png,image/*;q=0.8", "image/png", "bitcoin:" + bitcoin.Address},
		{"/v1/addresses/XRP/qr?amount=10", "", "image/svg+xml", "ripple:" + ripple.Address + "?amount=10&dt=" + *ripple.Memo},
	} {
		rec := w.get(c.target, "Accept: "+c.accept)
		h := rec.Header()
		if rec.Code != http.StatusOK || h.Get("Content-Type") != c.contentType || h.Get("Cache-Control") != "private, no-store" || !strings.Contains(fmt.Sprint(h.Values("Vary")), "Accept ") {
			t.Errorf("%s, %s: got %d %v", c.target, c.accept, rec.Code, h)
			continue
		}
		if got := scanned(t, rec); got != c.text {
			t.Errorf("%s, %s: the code says %q, want %q", c.target, c.accept, got, c.text)
		}
		if again := w.get(c.target, "Accept: "+c.accept, "If-None-Match: "+h.Get("Etag")); again.Code != http.StatusNotModified {
			t.Errorf("%s again: got %d, want 304", c.target, again.Code)
		}
	}
	for _, c := range []struct{ target, field string }{
		{"/v1/addresses/NOPE/qr", "currency"},
		{"/v1/addresses/NGN/qr", "currency"},
		{"/v1/addresses/BTC/qr?network=XRP", "network"},
		{"/v1/addresses/BTC/qr?amount=1e3", "amount"},
		{"/v1/addresses/BTC/qr?amount=0,5", "amount"},
		{"/v1/addresses/BTC/qr?amount=0", "amount"},
		{"/v1/addresses/BTC/qr?amount=0.000000001", "amount"},
		{"/v1/addresses/BTC/qr?amount=1&amount=2", "amount"},
		{"/v1/addresses/BTC?amount=-1", "amount"},
		{"/v1/addresses/BTC?amount=0.000000001", "amount"},
		{"/v1/addresses/BTC/qr?amount=" + strings.Repeat("1", 65), "amount"},
	} {
		wantFault(t, c.target, w.get(c.target), c.field)
	}
	if rec := w.get("/v1/addresses/BTC/qr?amount=1e3", "Accept: image/png"); rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("an error is %s, want JSON", rec.Header().Get("Content-Type"))
	}
}

func TestScanCode(t *testing.T) {
	t.Parallel()
	item := func(currency, network, address, memo string) *deposits.Item {
		i := &deposits.Item{Currency: currency, Network: network}
		i.DepositAddress = core.DepositAddress{Address: core.Private(address), Memo: core.Private(memo)}
		return i
	}
	const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	for _, c := range []struct {
		name, amount, want, field string
		item                      *deposits.Item
	}{
		{"link", "1.5", "ethereum:" + evm + "@8453?value=1500000000000000000", "", item("ETH", "BASE", evm, "")},
		{"no link: the address", "", evm, "", item("USDT", "BSC", evm, "")},
		{"no link for an amount", "1", "", "amount", item("USDT", "BSC", evm, "")},
		{"no link for a memo", "", "", "network", item("TON", "TON", "UQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorhqg", "1")},
	} {
		code, text, err := httpapi.ScanCode(c.item, c.amount)
		if c.field != "" {
			if err == nil || !strings.Contains(err.Error(), "invalid: "+c.field+" ") {
				t.Errorf("%s: got %q, %v, want a fault of %s", c.name, text, err, c.field)
			}
			continue
		}
		if err != nil || text != c.want {
			t.Fatalf("%s: got %q, %v, want %q", c.name, text, err, c.want)
		}
		picture, err := png.Decode(bytes.NewReader(code.PNG()))
		if err != nil {
			t.Fatal(err)
		}
		if got := []string{scan(t, picture), scan(t, draw4(t, httpapi.SVG(code)))}; got[0] != c.want || got[1] != c.want {
			t.Errorf("%s: the codes say %q, want %q", c.name, got, c.want)
		}
	}
}
