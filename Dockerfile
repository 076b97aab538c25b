FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /server ./cmd/server && mkdir /empty

FROM scratch
COPY --from=build /server /server
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /empty /data
COPY --from=build --chown=65532:65532 /empty /tmp
USER 65532:65532
ENV LISTEN_ADDR=0.0.0.0:8080 CONTROL_ADDR=0.0.0.0:8081 DATA_DIR=/data
EXPOSE 8080 8081
VOLUME /data
HEALTHCHECK --interval=2s --timeout=4s --start-period=30s CMD ["/server", "healthcheck"]
ENTRYPOINT ["/server"]
