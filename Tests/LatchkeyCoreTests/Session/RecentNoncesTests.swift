import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Recent DPoP nonces` {
    @Test func `Nonces are kept for the eight most recently used origins`() {
        var nonces = RecentNonces()
        for number in 1...8 { nonces["https://\(number).example"] = "nonce-\(number)" }
        #expect(nonces["https://1.example"] == "nonce-1")

        nonces["https://9.example"] = "nonce-9"

        #expect(nonces["https://1.example"] == "nonce-1")
        #expect(nonces["https://2.example"] == nil)
        #expect(nonces["https://9.example"] == "nonce-9")
    }

    @Test func `A new nonce replaces only the previous nonce for the same origin`() {
        var nonces = RecentNonces()
        nonces["https://a.example"] = "old"
        nonces["https://b.example"] = "other"
        nonces["https://a.example"] = "new"

        #expect(nonces["https://a.example"] == "new" && nonces["https://b.example"] == "other")
    }

    private static let challenge = #"DPoP error="use_dpop_nonce", error_description="Use a nonce""#

    @Test(
        arguments: [
            (401, challenge, "next", nil, true), (401, challenge, "next", "previous", true),
            (401, "dpop error=use_dpop_nonce", "next", nil, true),
            (401, challenge, "next", "next", false), (400, challenge, "next", nil, false),
            (401, #"DPoP error="invalid_token""#, "next", nil, false),
            (401, #"Bearer realm="use_dpop_nonce""#, "next", nil, false),
            (401, challenge, "", nil, false), (401, challenge, "line\nbreak", nil, false),
            (401, challenge, String(repeating: "x", count: 1025), nil, false),
        ] as [(Int, String, String, String?, Bool)]
    )
    func `A request is repeated only if the challenge contains a new nonce`(
        status: Int,
        challenge: String,
        nonce: String,
        previous: String?,
        asks: Bool
    ) {
        let headers: HTTP.Headers = ["WWW-Authenticate": challenge, "DPoP-Nonce": nonce]
        #expect(
            ProofOfPossession.asksForNonce(status: status, headers: headers, insteadOf: previous) == asks
        )
    }
}
