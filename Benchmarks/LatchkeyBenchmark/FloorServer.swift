import LatchkeyMicrohttpd
import LatchkeyServerKit
import LatchkeyWire

/// A server that always returns the same body, used as the baseline.
///
/// It uses the HTTP adapter and the asynchronous interface of the real server.
struct FloorServer: HTTPHandler {
    private let answer: HTTP.Response

    init(bytes: Int) {
        answer = HTTP.Response(
            200,
            headers: [
                "Content-Type": "application/json; charset=utf-8",
                "Cache-Control": "private, no-cache, no-store, must-revalidate",
            ],
            body: [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
        )
    }

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        answer
    }
}
