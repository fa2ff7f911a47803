import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the client's parser for responses to flows.
    static let flowReplies = FuzzTarget(
        name: "flow-replies",
        summary: "Replies of an identity server to submissions, as the client reads them.",
        words: [
            "id", "ui", "nodes", "messages", "attributes", "meta", "label", "state", "type", "group", "name",
            "value", "text", "context", "error", "details", "continue_with", "action", "flow", "use_flow_id",
            "redirect_browser_to", "session_token", "session", "identity", "traits", "ory_session_token",
            "verifiable_addresses", "recovery_addresses", "options", "node_type", "show_recovery_ui",
            "set_ory_session_token", "session_refresh_required", "session_verified_address_required",
        ].map { "\"\($0)\"" }
    ) { bytes in
        let input = FuzzInput(bytes)
        let (status, kind) = input.choose(from: replies)
        let answer = HTTP.Response(status, headers: ["Location": input.text(1)], body: input.bytes(0))
        let secret = Secret("correct-Horse-7")
        let reply: FlowReply
        do throws(LatchkeyError) {
            reply = try FlowReply(decoding: answer, of: kind, readPath: "/flows", secrets: [secret])
        } catch {
            try expect(!error.message.contains(secret.exposed), "an error does not repeat a password")
            return
        }
        try check(reply)
    }

    private static let replies: [(Int, Flow.Kind)] = [200, 303, 400, 403, 410, 422].flatMap { status in
        Flow.Kind.allCases.map { (status, $0) }
    }

    private static func check(_ reply: FlowReply) throws {
        switch reply {
        case .flow(let flow, _):
            try expect(
                !flow.id.isEmpty && flow.nodes.count <= 1000,
                "a flow has an id and at most 1,000 nodes"
            )
            for node in flow.nodes {
                guard let input = node.input else { continue }
                try expect((1...256).contains(input.name.utf8.count), "a name has 1 to 256 bytes")
                try expect(input.kind != .password || input.value == nil, "a password has no value")
            }
        case .authenticated(let authentication, _):
            try expect(!authentication.token.exposed.isEmpty, "a token is not empty")
            try expect(!authentication.session.identity.id.isEmpty, "an account has an id")
        case .recovered(let token, _): try expect(!token.exposed.isEmpty, "a token is not empty")
        case .other(.replaced(let id)): try expect(!id.isEmpty, "the id of a replacement is not empty")
        case .other(.browserRequired(let address)):
            let address = WebAddress(address)
            try expect(
                address?.isConfidential == true,
                "a browser opens only https, and http on this machine"
            )
        case .other: break
        }
    }
}
