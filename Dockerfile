# The model service and the worker: one image, the command says which. docker-compose.yml runs both.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

# Before the sources, so that a change of them does not install anew. The npm package "node" is a development
# dependency: the image's own Node is what runs here.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force

COPY src ./src
COPY models ./models
COPY worker.ts ./

# A named volume takes the owner of the folder that it is mounted over.
RUN mkdir /data /store && chown node:node /data /store
USER node

CMD ["node", "src/cli/main.ts", "worker"]
