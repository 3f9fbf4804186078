# disco2 in a container: the server by default, any other command after the name of the image.
#
#   docker build -t disco2 .
#   docker run --rm -p 127.0.0.1:8000:8000 disco2                              # http://127.0.0.1:8000
#   docker run --rm -v "$PWD:/data" disco2 predict --file article.txt --json   # files of this folder
#
# No network is needed at run time: `docker run --network none` works for every command but the server.
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/disco2 \
 && /opt/disco2/bin/pip install --no-cache-dir ".[serve]"

FROM python:3.12-slim
COPY --from=build /opt/disco2 /opt/disco2
ENV PATH=/opt/disco2/bin:$PATH DISCO2_CACHE=/tmp/disco2-cache
RUN useradd --create-home disco2
USER disco2
WORKDIR /data
EXPOSE 8000
HEALTHCHECK --start-period=30s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["disco2"]
CMD ["serve", "--host", "0.0.0.0"]
