import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Replies to submissions` {
    private static let path = "/a/self-service/verification/flows"

    private func reply(
        _ status: Int,
        _ text: String,
        of kind: Flow.Kind = .login,
        headers: HTTP.Headers = ["Content-Type": "application/json"],
        secrets: [Secret] = []
    ) throws -> FlowReply {
        try FlowReply(
            decoding: HTTP.Response(status, headers: headers, body: Array(text.utf8)),
            of: kind,
            readPath: Self.path,
            secrets: secrets
        )
    }

    /// A response from the server, and the outcome that it should be parsed as.
    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let text: String
        var kind = Flow.Kind.login
        let outcome: FlowOutcome
    }

    static let examples = [
        Example(
            testDescription: "the flow has expired",
            status: 410,
            text: #"{"error":{"id":"self_service_flow_expired","code":410},"use_flow_id":"new","since":5}"#,
            outcome: .replaced(by: "new")
        ),
        Example(
            testDescription: "the verification is already completed",
            status: 410,
            text: #"{"error":{"id":"self_service_flow_replaced","code":410},"use_flow_id":"new"}"#,
            kind: .verification,
            outcome: .replaced(by: "new")
        ),
        Example(
            testDescription: "the recovery has no guesses left",
            status: 400,
            text: """
                {"error":{"code":400,"details":{"continue_with":[{"action":"show_recovery_ui",
                "flow":{"id":"new"}}]}}}
                """,
            kind: .recovery,
            outcome: .replaced(by: "new")
        ),
        Example(
            testDescription: "the session isn't privileged",
            status: 403,
            text:
                #"{"error":{"id":"session_refresh_required","code":403},"redirect_browser_to":"https://x"}"#,
            kind: .settings,
            outcome: .reauthenticationRequired
        ),
        Example(
            testDescription: "an address has to be verified",
            status: 403,
            text: """
                {"error":{"id":"session_verified_address_required","code":400,"details":{"continue_with":[
                {"action":"show_verification_ui","flow":{"id":"v","verifiable_address":"a@example.org"}},
                {"action":"redirect_browser_to","redirect_browser_to":"https://x"},7]}}}
                """,
            outcome: .addressVerificationRequired(next: [
                .verification(flow: "v", address: "a@example.org")
            ])
        ),
        Example(
            testDescription: "a browser is required",
            status: 422,
            text: """
                {"error":{"id":"browser_location_change_required"},
                "redirect_browser_to":"https://provider.example/authorize?x=y"}
                """,
            outcome: .browserRequired(address: "https://provider.example/authorize?x=y")
        ),
        Example(
            testDescription: "an account was created without a session",
            status: 200,
            text: #"{"identity":{"id":"i"},"continue_with":null}"#,
            kind: .registration,
            outcome: .registered(next: [])
        ),
    ]

    @Test(arguments: examples)
    func `Replies that don't contain a flow are decoded as an outcome`(_ example: Example) throws {
        guard case .other(let outcome) = try reply(example.status, example.text, of: example.kind) else {
            Issue.record("The reply was decoded as a different case.")
            return
        }

        #expect(outcome == example.outcome)
    }

    @Test(arguments: [200, 400])
    func `Replies with a flow are decoded for both status 200 and 400`(_ status: Int) throws {
        guard case .flow(let flow, _) = try reply(status, FlowJSON.flow()) else {
            Issue.record("The reply is not a flow.")
            return
        }

        #expect(flow.methods == ["code", "password"])
    }

    @Test func `Only a recovery reply contains a token and the next steps`() throws {
        let steps = """
            ,"continue_with":[{"action":"set_ory_session_token","ory_session_token":"lk_st_secret"},
            {"action":"show_settings_ui","flow":{"id":"s","url":"https://app.example.com/"}}]
            """
        let text = FlowJSON.flow(state: "passed_challenge", more: steps)

        guard case .recovered(let token, let next) = try reply(200, text, of: .recovery) else {
            Issue.record("The reply has no token.")
            return
        }
        #expect(token == Secret("lk_st_secret"))
        #expect(next == [.settings(flow: "s")])
        for kind in Flow.Kind.allCases where kind != .recovery {
            guard case .flow = try reply(200, text, of: kind) else {
                Issue.record("A \(kind) reply contains a token.")
                continue
            }
        }
    }

    @Test(arguments: [
        ("/a/self-service/verification/flows?id=new", "new"),
        ("https://id.example.com/a/self-service/verification/flows?id=new", "new"),
        ("https://evil.example/a/self-service/verification/flows?id=new&x=y", "new"),
        ("https://id.example.com/a/self-service/login/flows?id=new", nil),
        ("/a/self-service/verification/flows?id=", nil),
        ("/a/self-service/verification/flows", nil),
        ("javascript:alert(1)?id=new", nil),
        ("", nil),
    ])
    func `Only the id of the new flow is taken from a redirect`(_ location: String, _ id: String?) throws {
        let headers: HTTP.Headers = ["Location": location]
        guard let id else {
            #expect(throws: LatchkeyError.self) { try reply(303, "", of: .verification, headers: headers) }
            return
        }
        guard case .other(let outcome) = try reply(303, "", of: .verification, headers: headers) else {
            Issue.record("The reply was decoded as a different case.")
            return
        }

        #expect(outcome == .replaced(by: id))
    }

    @Test(arguments: [
        "javascript:alert(1)", "file:///etc/passwd", "http://provider.example/", "https://user@x.example/",
        "otpauth://totp/x", "//x.example/", "",
    ])
    func `Addresses that are unsafe to open in a browser are rejected`(_ address: String) {
        #expect {
            try reply(
                422,
                #"{"error":{"code":422,"status":"Unprocessable Entity"},"redirect_browser_to":"\#(address)"}"#
            )
        } throws: { error in
            (error as? LatchkeyError)?.code == .refused
        }
    }

    @Test(arguments: [
        (400, #"{"error":{"id":"self_service_flow_disabled","code":400}}"#, LatchkeyError.Code.flowDisabled),
        (404, #"{"error":{"code":404,"status":"Not Found"}}"#, .flowUnknown),
        (404, #"{"error":{"code":404,"status":"NOT_FOUND"}}"#, .invalidResponse),
        (410, #"{"error":{"id":"self_service_flow_expired","code":410}}"#, .flowExpired),
        (403, #"{"error":{"id":"security_identity_mismatch","code":403}}"#, .identityMismatch),
        (401, #"{"error":{"id":"session_inactive","code":401}}"#, .sessionEnded),
        (401, "<html>", .invalidResponse),
        (429, #"{"error":{"code":429}}"#, .tooManyRequests),
        (500, "", .serverFailed),
        (302, "", .invalidResponse),
        (200, "", .invalidResponse),
        (200, #"{"session_token":"t"}"#, .invalidResponse),
        (200, #"{"session_token":"","session":{"identity":{"id":"i"}}}"#, .invalidResponse),
        (200, #"{"session_token":"t","session":{"identity":null}}"#, .invalidResponse),
    ])
    func `All other replies are rejected`(_ status: Int, _ text: String, _ code: LatchkeyError.Code) {
        #expect { try reply(status, text) } throws: { ($0 as? LatchkeyError)?.code == code }
    }

    @Test func `Errors don't contain the password`() {
        #expect {
            try reply(
                403,
                #"{"error":{"reason":"correct-Horse-7 is wrong","code":403,"status":"Forbidden"}}"#,
                secrets: ["correct-Horse-7"]
            )
        } throws: { error in
            !"\((error as? LatchkeyError)?.message ?? "")".contains("correct-Horse-7")
        }
    }

    @Test func `Passwords and codes in a form are redacted`() throws {
        let node = """
            {"type":"input","group":"code","attributes":{"name":"code","type":"text","value":"271501"},
            "messages":[{"id":1,"text":"271501?","type":"error","context":{"value":"271501","min_length":6}}]}
            """
        let text = FlowJSON.flow(
            nodes: node,
            messages:
                #"{"id":2,"type":"error","text":"\"correct-Horse-7\" is not a code, and neither is 271501."}"#
        )

        guard case .flow(let flow, _) = try reply(400, text, secrets: ["correct-Horse-7", "271501", "a"])
        else {
            Issue.record("The reply is not a flow.")
            return
        }

        #expect(flow.nodes[0].input?.name == "code" && flow.nodes[0].input?.value == nil)
        #expect(flow.messages[0].text == "\"‹secret›\" is not a code, and neither is ‹secret›.")
        #expect(flow.nodes[0].messages[0].context == ["min_length": 6])
        #expect(FlowOutcome.continues(flow, next: []).error().fields.map(\.message) == ["‹secret›?"])
    }

    @Test(arguments: [
        (4_010_008, LatchkeyError.Code.codeInvalid), (4_040_003, .codeInvalid), (4_060_006, .codeInvalid),
        (4_070_006, .codeInvalid), (4_000_006, .invalidCredentials), (4_000_007, .accountExists),
        (4_000_028, .accountExists), (4_000_035, .accountNotFound), (4_010_011, .accountDisabled),
        (4_000_001, .refused),
    ])
    func `Error messages in a form are converted to errors`(_ id: Int, _ code: LatchkeyError.Code) throws {
        let flow = try Flow(
            decoding: FlowJSON.value(
                FlowJSON.flow(nodes: FlowJSON.codeNodes, messages: FlowJSON.message(id, "Because."))
            ),
            of: .login
        )

        let error = FlowOutcome.continues(flow, next: []).error()

        #expect(error.code == code)
        #expect(error.message == "Because.")
        #expect((error.cause as? ServerRefusal)?.messageIDs == [id])
    }

    @Test func `Errors for a field contain the field's name`() throws {
        let flow = try Flow(decoding: FlowJSON.value(FlowJSON.flow()), of: .login)

        let error = FlowOutcome.continues(flow, next: []).error()

        #expect(error.code == .invalidInput)
        #expect(error.fields == [LatchkeyError.Field(name: "password", message: "Enter a password.")])
    }
}
