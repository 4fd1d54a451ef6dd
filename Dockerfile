# foray as an image, from the packed file: `docker run foray:0.2.0 service …`, `docker run foray:0.2.0 worker`.
#
#   npm ci && npm pack && docker build --tag foray:0.2.0 .
#
# The base needs Node 24 or newer with npm, and a user "node".
ARG BASE=node:24-slim

FROM ${BASE} AS installed
COPY foray-0.2.0.tgz /tmp/
RUN npm install --global --prefix /opt/foray --omit=dev --no-audit --no-fund /tmp/foray-0.2.0.tgz
# Temporal's core comes for each system; this image needs one.
RUN find /opt/foray -path '*/core-bridge/releases/*' -prune ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM ${BASE}
COPY --from=installed /opt/foray /opt/foray
ENV NODE_ENV=production PATH=/opt/foray/bin:$PATH
# A named volume takes the owner of the folder that it is mounted over.
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
ENTRYPOINT ["foray"]
CMD ["--help"]
