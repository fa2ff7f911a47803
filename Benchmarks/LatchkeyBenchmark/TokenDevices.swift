import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Devices with certified keys that refresh their tokens.
///
/// Each device sends one request at a time.
final class TokenDevices: Sendable {
    private struct Device: Sendable {
        let key: SigningKey
        let jwk: String
        var token: String
    }

    // Proofs are only valid for the URL that the measured server is configured with.
    private static let url = LatchkeyServerSubject.url + Route.token

    private let idle = Locked<[Device]>([])

    /// Registers users, certifies a key for each of them, and exchanges their session tokens.
    init(_ count: Int, over connection: BlockingConnection, from person: Int) throws {
        for number in 0..<count {
            let session = try Work.register(connection, person: person + number)
            let key = try SigningKey.generate()
            let csr = try CertificateSigningRequest.pem(commonName: "device", key: key)
            let certified = try connection.exchange(
                "PUT",
                target: Route.certificates,
                headers: "X-Session-Token: \(session)\r\n",
                body: String(
                    decoding: try JSONCoding.encode(CertificateBody.Request(csr: csr)),
                    as: UTF8.self
                )
            )
            guard certified.status == 200 else { throw Self.unexpected }
            let request = TokenRequest.exchange(sessionToken: Secret(session))
            var device = Device(key: key, jwk: key.publicKey.jwk, token: "")
            device.token = try Self.send(request, from: device, over: connection)
            idle.withLock { $0.append(device) }
        }
    }

    /// Refreshes the tokens of one device.
    var refresh: Work.Unit {
        { [self] connection, _ in
            guard var device = idle.withLock({ $0.popLast() }) else { throw Self.unexpected }
            device.token = try Self.send(.refresh(Secret(device.token)), from: device, over: connection)
            idle.withLock { [device] in $0.append(device) }
        }
    }

    private static func send(
        _ request: TokenRequest,
        from device: Device,
        over connection: BlockingConnection
    ) throws -> String {
        let proof = try DPoPProof(
            method: .post,
            url: url,
            id: Identifier().description,
            issuedAt: SystemTime().now
        ).signed(jwk: device.jwk) { try device.key.rawSignature(for: $0) }
        let body = request.httpRequest.body
        let head =
            "POST \(Route.token) HTTP/1.1\r\nHost: bench\r\nDPoP: \(proof)\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.count)\r\n\r\n"
        let answer = try connection.exchange(raw: Array(head.utf8) + body)
        let text = String(decoding: answer.body, as: UTF8.self)
        // We don't decode the response as JSON because the load generator would become the bottleneck.
        guard answer.status == 200, let mark = text.firstRange(of: #""refresh_token":""#) else {
            throw unexpected
        }
        return String(text[mark.upperBound...].prefix { $0 != "\"" })
    }

    private static let unexpected = BlockingConnection.Failure(what: "unexpected answer")
}
