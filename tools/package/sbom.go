package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// makeBills writes the bill of materials of each binary: CycloneDX 1.6 in JSON, from what the binary says of itself.
func (m *maker) makeBills(context.Context) error {
	for _, arch := range architectures() {
		info, err := buildinfo.ReadFile(m.binaries[arch])
		if err != nil {
			return err
		}
		sum, err := sumOf(m.binaries[arch])
		if err != nil {
			return err
		}
		bom, err := bill(info, m.version, sum, m.epoch)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
			return err
		}
		path := m.asset("causeway-" + m.version + "-linux-" + arch + ".cdx.json")
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil { //nolint:gosec // to be handed out
			return err
		}
		if err := checkBill(text.Bytes(), info); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		m.passed("bill of materials %s: %d components", arch, len(*bom.Components))
	}
	return nil
}

// bill lists what is linked into a binary whose SHA-256 is sum.
func bill(info *debug.BuildInfo, version, sum string, at time.Time) (*cdx.BOM, error) {
	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	main := cdx.Component{
		BOMRef: "causeway", Type: cdx.ComponentTypeApplication, Name: info.Main.Path, Version: version,
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
	}
	std := strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go")
	components := []cdx.Component{{BOMRef: purl("std", std), Type: cdx.ComponentTypeLibrary, Name: "std", Version: std, PackageURL: purl("std", std)}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("%s is replaced by %s: what it is would be a guess", d.Path, d.Replace.Path)
		}
		c := cdx.Component{BOMRef: purl(d.Path, d.Version), Type: cdx.ComponentTypeLibrary, Name: d.Path, Version: d.Version, PackageURL: purl(d.Path, d.Version)}
		if sum, ok := strings.CutPrefix(d.Sum, "h1:"); ok { // a SHA-256 over the module's list of files
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return nil, fmt.Errorf("the checksum of %s: %w", d.Path, err)
			}
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
		components = append(components, c)
	}
	var refs []string
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	properties := []cdx.Property{{Name: "go:version", Value: info.GoVersion}}
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "-trimpath", "vcs.revision", "vcs.time", "vcs.modified"}, s.Key) {
			properties = append(properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
		}
	}
	bom.Metadata = &cdx.Metadata{Timestamp: at.Format(time.RFC3339), Component: &main, Properties: &properties}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// purl is a package URL (https://github.com/package-url/purl-spec, type golang).
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + url.PathEscape(version)
}

// serial makes a UUID (version 8, RFC 9562) of a checksum, so that the same binary has the same bill.
func serial(sum string) string {
	raw := sha256.Sum256([]byte("causeway bill of materials " + sum))
	raw[6], raw[8] = raw[6]&0x0f|0x80, raw[8]&0x3f|0x80
	h := hex.EncodeToString(raw[:16])
	return "urn:uuid:" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// checkBill reads a bill as others will: every module of the binary is in it once, and nothing points nowhere.
func checkBill(text []byte, info *debug.BuildInfo) error {
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return err
	}
	refs := map[string]int{bom.Metadata.Component.BOMRef: 1}
	for _, c := range *bom.Components {
		refs[c.BOMRef]++
	}
	for ref, n := range refs {
		if n != 1 {
			return fmt.Errorf("%s is there %d times", ref, n)
		}
	}
	for _, d := range info.Deps {
		if refs[purl(d.Path, d.Version)] == 0 {
			return fmt.Errorf("lacks %s", d.Path)
		}
	}
	if len(refs) != len(info.Deps)+2 { // the program and the standard library
		return fmt.Errorf("has %d components, the binary %d modules", len(refs), len(info.Deps))
	}
	for _, d := range *bom.Dependencies {
		for _, to := range append(*d.Dependencies, d.Ref) {
			if refs[to] == 0 {
				return fmt.Errorf("points at %s, which is not there", to)
			}
		}
	}
	return nil
}
