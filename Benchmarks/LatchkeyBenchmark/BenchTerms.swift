import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire

/// The terms that are published while the server is measured.
enum BenchTerms {
    /// The command that has a server process publish the terms.
    static let command = "publish terms"

    /// Publishes the first version, which every account has to accept.
    ///
    /// - Returns: `published`, or the response if it was refused.
    static func publish(at server: ServerAssembly) async -> String {
        let body = """
            {"documents": [{"key": "terms", "kind": "terms", "default_language": "en", "titles": {"en": "Terms"}, \
            "versions": [{"number": 1, "asks": "acceptance", \
            "texts": [{"language": "en", "text": "These are the terms."}]}]}]}
            """
        let request = HTTP.Request(
            .post,
            TermsAdminRoute.publications,
            headers: ["Content-Type": "application/json"],
            body: Array(body.utf8)
        )
        let peer = PeerAddress.inProcess
        let response = await server.localAdministration().respond(to: request, from: peer)
        return response.status == 200 ? "published" : String(decoding: response.body, as: UTF8.self)
    }
}
