import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestStore

@testable import Latchkey
@testable import LatchkeyCore

/// A request that a program pushes under the game's client id, without OnsideKit.
///
/// The client has no secret, so any program can do that.
struct RawRequest: Sendable {
    let server: TestServer
    let network: TestTransport
    let signer: DeviceSigner
    let key: StoredKey
    let verifier: CodeVerifier
    let state = "the-program's-own-state"
    /// The URI of the pushed request.
    let uri: String

    /// Pushes a request.
    init(_ server: TestServer, client: String = "com.example.arcade") async throws {
        self.server = server
        network = server.transport(from: "198.51.100.66")
        signer = DeviceSigner(
            keys: try Platform.deviceKeys(),
            queue: BlockingQueue(label: "program"),
            random: SystemRandom()
        )
        key = try await signer.createKey()
        verifier = CodeVerifier(random: SystemRandom())
        var request = HTTP.Request(
            form: [
                ("client_id", client), ("response_type", "code"), ("redirect_uri", HandOffScene.address),
                ("scope", "openid"), ("state", state), ("nonce", "n"),
                ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
            ],
            to: Route.pushedRequests
        )
        request.headers["DPoP"] = try await signer.proof(
            forPostTo: TestServer.url + Route.pushedRequests,
            issuedAt: server.time.now,
            by: key
        )
        let body = try await network.send(request, to: TestServer.url).body
        uri = try JSONCoding.decode(JSONValue.self, from: body)["request_uri"]?.text ?? ""
    }

    /// The URL that opens the request in the store app.
    var address: String {
        "onside://authorize?client_id=com.example.arcade&request_uri=" + QueryItems.encode(uri)
    }

    /// Sends a form of the client, with a proof of the program's key or without one.
    func send(_ form: [(String, String)], to path: String, proves: Bool = true) async throws -> HTTP.Response
    {
        var request = HTTP.Request(form: form + [("client_id", "com.example.arcade")], to: path)
        if proves {
            request.headers["DPoP"] = try await signer.proof(
                forPostTo: TestServer.url + path,
                issuedAt: server.time.now,
                by: key
            )
        }
        return try await network.send(request, to: TestServer.url)
    }

    /// Redeems a code with a verifier, and returns the response.
    func redeem(_ code: String, verifier: String?, proves: Bool = true) async throws -> HTTP.Response {
        try await send(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", HandOffScene.address),
            ] + (verifier.map { [("code_verifier", $0)] } ?? []),
            to: Route.token,
            proves: proves
        )
    }
}
