# freshet in an image of its own: one static program, the roots of trust, and nothing else.
# Versions, port and paths are those of Cargo.toml and the code; `cargo xtask tidy` compares them.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache ca-certificates gcc make musl-dev
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package freshet && cp target/release/freshet /freshet
RUN mkdir -p /empty/data /empty/tmp

FROM scratch
LABEL org.opencontainers.image.title="freshet" org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /freshet /usr/local/bin/freshet
COPY --from=build --chown=10001:10001 /empty/data /var/lib/freshet
COPY --from=build --chown=10001:10001 /empty/tmp /tmp
USER 10001:10001
ENV FRESHET_DATA=/var/lib/freshet
VOLUME ["/var/lib/freshet"]
EXPOSE 8640
ENTRYPOINT ["/usr/local/bin/freshet"]
# Any address but loopback needs a password or a token: set FRESHET_DASHBOARD_TOKEN.
CMD ["run", "--headless", "--listen", "0.0.0.0:8640"]
