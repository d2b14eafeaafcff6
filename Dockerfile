# Parley in a container. See docs/operations.md.

# by digest, so that each build begins with the same image. A newer one:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
FROM ${NODE_IMAGE} AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN npm ci
COPY . .
RUN npm run build && npm run build --workspace web
# of the sources the program reads its migrations alone
RUN find src -type f ! -path '*/store/migrations/*' -delete && find src -type d -empty -delete

# what the program loads at run time, without what only builds and tests need
FROM base AS packages
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts

FROM base
# the sandbox of commands, where the container may have one
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    PARLEY_HOST=0.0.0.0 \
    PARLEY_PORT=4127 \
    PARLEY_DATA_DIR=/data
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/schema schema
COPY --from=build /app/web/dist web/dist
RUN ln -s /app/bin/parley.js /usr/local/bin/parley && install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 4127
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PARLEY_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/parley.js"]
CMD ["serve"]
