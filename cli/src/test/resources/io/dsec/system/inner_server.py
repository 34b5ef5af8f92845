# SPDX-License-Identifier: Apache-2.0
# A server inside a sandbox, for the tests of ports: HTTP/1.1 with bodies of all kinds, and a WebSocket that echoes.
import base64, hashlib, json, socketserver, struct, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while True:
                size = int(self.rfile.readline(), 16)
                data += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def plain(self, data, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def do_GET(self):
        if self.path.startswith("/sse"):
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.chunk(b"data: 1\n\n")
            self.body_wait()
            self.chunk(b"data: 2\n\n")
            self.chunk(b"")
        elif self.path.startswith("/go"):
            self.server.go = True
            self.plain(b"went")
        elif self.path.startswith("/close"):
            self.close_connection = True
        elif self.path.startswith("/break"):
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"only this")
            self.close_connection = True
        elif self.path.startswith("/big"):
            self.send_response(200)
            self.send_header("Content-Length", str(64 << 20))
            self.end_headers()
            for _ in range(1024):
                self.wfile.write(b"x" * 65536)
        elif self.path.startswith("/slow"):
            time.sleep(1.5)
            self.plain(b"slow")
        elif self.path.startswith("/hang"):
            self.hang()
        elif self.path.startswith("/told"):
            self.plain(json.dumps(self.server.told).encode())
        elif self.headers.get("Upgrade", "").lower() == "websocket":
            self.websocket()
        else:
            seen = {"method": self.command, "path": self.path, "headers": dict(self.headers.items())}
            self.plain(json.dumps(seen).encode(), Content_Type="application/json", X_Inner="yes")

    do_HEAD = do_GET

    def body_wait(self):
        while not getattr(self.server, "go", False):
            time.sleep(0.01)

    def do_POST(self):
        data = self.body()
        self.plain(data, status=201, X_Sha=hashlib.sha256(data).hexdigest())

    def do_PUT(self):
        self.plain(str(len(self.body())).encode())

    def do_DELETE(self):
        self.send_response(204)
        self.end_headers()

    def hang(self):
        """Answers nothing, or no more than that it will; tells when the client has gone."""
        if self.path.startswith("/hang/begun"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.chunk(b"x")
        told = self.server.told
        told["hanging"] = told.get("hanging", 0) + 1
        self.rfile.read(1)
        told["hanging"] -= 1
        self.close_connection = True

    def raw(self):
        """After the handshake bytes of no form: an echo until the end, or more than anyone reads."""
        told = self.server.told
        told["raw"] = told.get("raw", 0) + 1
        told["sent"] = 0
        if self.path.startswith("/raw/flood"):
            try:
                while True:
                    told["sent"] += self.connection.send(b"x" * 65536)
            except OSError:
                pass
        else:
            while data := self.connection.recv(65536):
                self.connection.sendall(data)
            self.connection.sendall(b"bye")
        told["raw"] -= 1
        self.close_connection = True

    def websocket(self):
        self.server.told["handshake"] = {"path": self.path, "headers": dict(self.headers.items())}
        if self.path.startswith("/raw"):
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.send_header("X-Inner", "yes")
            self.end_headers()
            return self.raw()
        if not self.path.startswith("/ws"):
            return self.plain(b"no socket here", status=404)
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                break
            size = head[1] & 127
            if size == 126:
                size = struct.unpack(">H", self.rfile.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.rfile.read(8))[0]
            mask = self.rfile.read(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(size)))
            length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
            self.wfile.write(bytes([head[0]]) + length + data)
            self.wfile.flush()
        self.close_connection = True


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.told = {}
server.serve_forever()
