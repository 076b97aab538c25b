# docker build -t understudy .
# docker build -t understudy:server --target server .
# The first image contains PostgreSQL. The second contains only the server, for use with your own database.
# Both also run with a read-only file system: docker run --read-only --tmpfs /tmp. docker-bake.json builds
# both for a release.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY cmd cmd
COPY internal internal
COPY migrations migrations
ARG TARGETOS TARGETARCH VERSION=devel
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath \
      -ldflags "-s -w -buildid= -X $(go list -m)/internal/version.stamped=$VERSION" -o out/server ./cmd/server && \
    mkdir out/empty

FROM scratch AS server
COPY --from=build /src/out/server /server
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /src/out/empty /data
# A container engine gives a tmpfs the mode of the directory on which it is mounted.
COPY --from=build --chmod=1777 /src/out/empty /tmp
USER 65532:65532
ENV LISTEN_ADDR=0.0.0.0:8080 CONTROL_ADDR=0.0.0.0:8081 DATA_DIR=/data
EXPOSE 8080 8081
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=2s --timeout=4s --start-period=30s CMD ["/server", "healthcheck"]
ENTRYPOINT ["/server"]

FROM debian:bookworm-slim AS standalone
# The server creates a database cluster in /data when it starts. PostgreSQL needs a user with a name.
RUN mkdir -p /etc/postgresql-common/createcluster.d && \
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/understudy.conf && \
    apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates postgresql && \
    rm -rf /var/lib/apt/lists/* /etc/ssl/certs/ssl-cert-snakeoil.pem /etc/ssl/private/ssl-cert-snakeoil.key && \
    groupadd --gid 65532 understudy && \
    useradd --uid 65532 --gid 65532 --home-dir /data --no-create-home understudy
COPY --from=build --chown=65532:65532 /src/out/empty /data
COPY --from=build /src/out/server /server
USER 65532:65532
ENV LISTEN_ADDR=0.0.0.0:8080 CONTROL_ADDR=0.0.0.0:8081 DATA_DIR=/data
EXPOSE 8080 8081
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=2s --timeout=4s --start-period=60s CMD ["/server", "healthcheck"]
ENTRYPOINT ["/server"]
