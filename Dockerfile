# Builds the image of Causeway: one static binary, a CA bundle and an unprivileged user.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t causeway .
#   docker run -p 8080:8080 causeway

FROM --platform=$BUILDPLATFORM golang:1.26.8 AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY clients/go/go.mod clients/go/
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=dev
# The Makefile says at COMMANDS what -gcflags is for.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false -gcflags=github.com/redis/rueidis/internal/cmds=-l \
      -ldflags "-s -w -X main.version=$VERSION" -o /out/usr/bin/causeway ./cmd/causeway && \
    mkdir -p /out/etc/ssl/certs /out/usr/share/doc/causeway /out/var/lib/causeway /out/tmp && \
    config/deploy/licenses.sh /out/usr/share/doc/causeway/THIRD_PARTY_LICENSES && \
    cp LICENSE NOTICE /out/usr/share/doc/causeway/ && \
    cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ && \
    echo 'causeway:x:65532:65532:causeway:/:/sbin/nologin' >/out/etc/passwd && \
    chown 65532:65532 /out/var/lib/causeway && chmod 1777 /out/tmp

FROM scratch
COPY --from=build /out /
USER 65532:65532
# 8080 serves the API. 9099 serves health, metrics and debug pages to operators: do not publish it to the internet.
EXPOSE 8080 9099
ENTRYPOINT ["/usr/bin/causeway"]
# A container is another machine to its clients: the sandbox must listen on more than the loopback address.
CMD ["serve", "--listen", ":8080"]
