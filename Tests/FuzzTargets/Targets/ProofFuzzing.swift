import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the validation of proofs and tokens that clients send.
    static let proofs = FuzzTarget(
        name: "proofs",
        summary: "Data that clients present: DPoP proofs, tokens and flow IDs.",
        words: [
            "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"",
            "\"y\":\"",
            "\"htm\":\"POST\"", "\"htu\":\"", "\"jti\":\"", "\"iat\":", "\"nonce\":\"", "lk_rt_", ".", "1e11",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        try input.choose(from: [showProof, signProof, takeApart, showToken, showFlow])(input)
    }

    private static let secrets = ServerSecrets(
        signing: Array(repeating: 7, count: 32),
        older: [[UInt8](0..<32)]
    )
    private static let tokens = RefreshTokenCodec(prefix: "lk_rt_", secrets: secrets)
    private static let flows = FlowIdentifier(secrets: secrets)
    private static let key = Result { try SigningKey.generate() }

    /// Checks the value of a `DPoP` header field.
    private static func showProof(_ input: FuzzInput) throws {
        try judge(input.text(0))
    }

    /// Signs the header and payload from the input, and then checks the resulting proof.
    ///
    /// A fuzzer can't create a valid signature itself.
    private static func signProof(_ input: FuzzInput) throws {
        let key = try key.get()
        let given = input.text(0).replacingKey(by: key.publicKey.jwk)
        let proof = try CompactJWS.sign(input.bytes(1), header: Array(given.utf8), with: key)
        try judge(proof.exposed)
    }

    private static func judge(_ proof: String) throws {
        do throws(OAuthError) {
            let shown = try PresentedProof(HTTP.Request(.post, "/oauth2/token", headers: ["DPoP": proof]))
            try require(CompactJWS(proof)?.isSigned(by: shown.key) == true)
            try require(shown.fingerprint.count == 32)
        } catch {
            try expect(!error.reason.isEmpty && error.status < 500, "a rejection has a reason")
        }
    }

    /// Throws an error with status 500 if a rule is broken.
    ///
    /// The status makes sure that a broken rule isn't mistaken for a rejected proof.
    private static func require(_ holds: Bool) throws(OAuthError) {
        if !holds { throw OAuthError(.invalidDPoPProof, reason: "", status: 500) }
    }

    private static func takeApart(_ input: FuzzInput) throws {
        guard let jws = CompactJWS(input.text(0)) else { return }
        let parts = [jws.header, jws.payload, jws.signature].map { Base64URL.encode($0) }
        try expect(parts.joined(separator: ".") == input.text(0), "a JWS has exactly one form")
        try expect(
            try !jws.isSigned(by: key.get().publicKey),
            "a signature cannot be created without the key"
        )
    }

    private static func showToken(_ input: FuzzInput) throws {
        let token = Secret(input.text(0))
        if let read = tokens.read(token) {
            try expect(tokens.write(read) == token, "a refresh token has exactly one form")
        }
        guard let session = Identifier(bytes: Array(input.bytes(1).prefix(16))) else { return }
        let made = RefreshToken(session: session, number: Int64(input.bytes(2).count))
        try expect(tokens.read(tokens.write(made)) == made, "an encoded refresh token can be decoded")
    }

    private static func showFlow(_ input: FuzzInput) throws {
        guard let id = Identifier(bytes: Array(input.bytes(0).prefix(16))) else { return }
        for kind in FlowKind.allCases {
            try expect(flows.issuedAt(id, as: kind) == nil, "a flow ID cannot be forged")
        }
    }
}

extension String {
    /// Returns the text with `KEY` replaced by the given key.
    fileprivate func replacingKey(by jwk: String) -> String {
        split(separator: "KEY", maxSplits: 1, omittingEmptySubsequences: false).joined(separator: jwk)
    }
}
