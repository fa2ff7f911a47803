import LatchkeyMicrohttpd
import LatchkeyServerCore
import LatchkeyWire

/// The floor: the same adapter and the same asynchronous seam, answering a constant body.
struct FloorServer: HTTPHandler {
    private let answer: HTTPResponse

    init(bytes: Int) {
        answer = HTTPResponse(
            200,
            headers: [
                "Content-Type": "application/json; charset=utf-8",
                "Cache-Control": "private, no-cache, no-store, must-revalidate",
            ],
            body: [UInt8](repeating: UInt8(ascii: "x"), count: bytes)
        )
    }

    func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
        answer
    }
}
