import LatchkeyAccounts
import LatchkeyCore
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

/// A device that requests a certificate.
struct CertificateClient: Sendable {
    let transport: TestTransport
    var key: SigningKey

    init(_ server: TestServer) throws {
        transport = server.transport()
        key = try SigningKey.generate()
    }

    func request() throws -> String {
        try CertificateSigningRequest.pem(commonName: "device", key: key)
    }

    /// Returns a well-formed signing request for the client's key that was signed with a different key.
    func requestSignedByAnother() throws -> String? {
        let other = try SigningKey.generate()
        let lines = try CertificateSigningRequest.pem(commonName: "device", key: other).split(separator: "\n")
        let base64 = lines.dropFirst().dropLast().joined().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        guard
            var der = Base64URL.decode(String(base64).filter { $0 != "=" }),
            let place = der.firstRange(of: other.publicKey.der)
        else { return nil }
        // Keys on the same curve have the same length, so we can replace the key without changing the rest of
        // the request.
        der.replaceSubrange(place, with: key.publicKey.der)
        var text = Base64URL.encode(der).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        while !text.count.isMultiple(of: 4) { text.append("=") }
        let body = stride(from: 0, to: text.count, by: 64).map { String(text[$0..<min($0 + 64, text.count)]) }
        return (lines.prefix(1).map(String.init) + body + lines.suffix(1).map(String.init))
            .joined(separator: "\n") + "\n"
    }

    /// Requests a certificate for the client's key.
    func enrol(_ opened: OpenedSession) async throws -> HTTP.Response {
        try await put(JSONCoding.encode(CertificateBody.Request(csr: request())), token: opened.token.secret)
    }

    func put(_ body: [UInt8], token: Secret?) async throws -> HTTP.Response {
        var request = HTTP.Request(.put, Route.certificates, body: body)
        request.headers["X-Session-Token"] = token?.exposed
        return try await transport.send(request, to: TestServer.url)
    }
}

extension HTTP.Response {
    /// The `id` in the error envelope.
    var errorID: ErrorID? {
        try? JSONCoding.decode(ErrorBody.self, from: body).error.id
    }

    func decoded<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
        try JSONCoding.decode(type, from: body)
    }
}
