import LatchkeyAccounts
import LatchkeyAdmin
import LatchkeyCourier
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeyOAuth
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the parsers for requests from clients and operators.
    static let requests = FuzzTarget(
        name: "requests",
        summary:
            "Input of the server: submissions of all flows as JSON and forms, paths, queries, header fields.",
        words: [
            "application/json", "application/x-www-form-urlencoded", "; charset=utf-8", "\"method\":",
            "method=",
            "\"password\"", "\"code\"", "\"profile\"", "\"identifier\":", "identifier=", "\"traits\":",
            "traits.email=",
            "traits.phone=", "\"email\":", "\"phone\":", "\"resend\":", "\"screen\":\"previous\"",
            "\"csrf_token\":",
            "+491234567", "a@b.example", "%2B", "%00", "\"schema_id\":", "\"credentials\":",
            "\"hashed_password\":",
            "\"config\":", "\"metadata_public\":", "\"verifiable_addresses\":", "\"op\":", "\"path\":\"/",
            "\"from\":",
            "\"value\":", "\"add\"", "\"remove\"", "\"replace\"", "\"move\"", "\"copy\"", "\"test\"", "/-",
            "~0", "~1",
            "phoneNumber", "phoneType", "PRIMARY", "flowId", "flowType", "REGISTRATION", "otp", "grant_type=",
            "subject_token=", "page_size=", "page_token=", "Bearer ", "q=0.5", "http://", "HTTP/1.1", "\r\n",
            "{}",
            "$argon2id$v=19$m=8,t=1,p=1$", "$2a$10$", "$scrypt$ln=1,r=8,p=1$", "$pbkdf2-sha256$i=1,l=32$",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        try input.choose(
            from: FlowKind.allCases.map(submit) + [
                readOAuthForm, readPhoneRequest, readIdentity, readPatch, readTarget, HeadFuzzing.check,
                readPath, readQuery,
                readHeaders,
            ]
        )(input)
    }

    private static let forms = MethodForms(FormSettings())
    private static let world = Result { try SchemaCatalog(standard: "person") }

    /// Checks a form submission.
    ///
    /// The sections of the input contain the content type, the body and the state of the flow.
    private static func submit(_ kind: FlowKind) -> @Sendable (FuzzInput) throws -> Void {
        { input in
            let request = HTTP.Request(
                .post,
                kind.path,
                headers: ["Content-Type": input.text(0)],
                body: input.bytes(1)
            )
            for schema in try world.get().all {
                switch Submission.read(request, by: schema, fields: forms.fields) {
                case .failure(let refusal): try expect(!refusal.reason.isEmpty, "a rejection has a reason")
                case .success(let submission): try judge(submission, kind, schema, hasBegun: input.text(2))
                }
            }
        }
    }

    private static func judge(
        _ submission: Submission,
        _ kind: FlowKind,
        _ schema: IdentitySchema,
        hasBegun: String
    ) throws {
        var settings = FormSettings()
        settings.registrationStyle = hasBegun.hasSuffix("2") ? .profileFirst : .unified
        var flow = Flow(
            id: Identifier(high: 1, low: 2),
            kind: kind,
            parameters: FlowParameters(
                schemaID: schema.id,
                requestURL: "http://a.example" + kind.startPath(for: .api)
            ),
            issuedAt: Timestamp(seconds: 1_800_000_000),
            lifespan: .seconds(600)
        )
        if hasBegun.hasPrefix("sent") {
            flow.state = .sentEmail
            flow.active = "code"
            flow.address = "a@b.example"
        }
        if hasBegun.contains("{") { flow.traits = Array(hasBegun.drop { $0 != "{" }.utf8) }
        settings.identifiersAreAddresses = hasBegun.hasSuffix("2")
        let forms = MethodForms(settings)
        let context = FormContext(flow, schema: schema)
        let form: Form?
        switch forms.choice(submission.method ?? kind.onlyMethod, in: context) {
        case .method(let method): form = shown(after: submission, to: method, in: context)
        case .disabled, .unknown: form = nil
        }
        guard let form else { return }
        try expect(form.values["password"] == nil, "a password is never shown again")
        var writer = JSONWriter()
        writer.object { writer in
            writer.form(
                forms.nodes(in: FormContext(flow, schema: schema, form: form)),
                messages: form.messages,
                in: FormTranslations.builtIn[.finnish]
            )
        }
        try expect((try? JSONParser.parse(writer.bytes)) != nil, "a form that is shown again is JSON")
    }

    /// Returns the form that is shown again after a submission, or `nil` if there is none.
    private static func shown(
        after submission: Submission,
        to method: some MethodForm,
        in context: FormContext
    ) -> Form? {
        switch method.parse(submission, in: context) {
        case .refused(let form): form
        case .valid(let input): Mirror(reflecting: input).children.lazy.compactMap { $0.value as? Form }.first
        }
    }

    private static func readOAuthForm(_ input: FuzzInput) throws {
        let type = input.text(0).isEmpty ? "application/x-www-form-urlencoded" : input.text(0)
        let request = HTTP.Request(.post, Route.token, headers: ["Content-Type": type], body: input.bytes(1))
        do throws(OAuthError) {
            let fields = try FormFields(request)
            let names = ["grant_type", "refresh_token", "subject_token", "audience", "a"]
            let form = HTTP.Request(
                form: names.flatMap { name in fields.all(name).map { (name, $0) } },
                to: Route.token
            )
            let again = try FormFields(form)
            if names.contains(where: { fields.all($0) != again.all($0) || fields[$0] != again[$0] }) {
                throw OAuthError(.invalidRequest, reason: "", status: 500)
            }
        } catch {
            try expect(
                !error.reason.isEmpty && error.status < 500,
                "a form can be decoded again, or is rejected with a reason"
            )
        }
    }

    private static func readPhoneRequest(_ input: FuzzInput) throws {
        let request = HTTP.Request(.post, Route.phoneVerification, body: input.bytes(0))
        let context = RequestContext(request, from: .inProcess, at: Timestamp(seconds: 1_800_000_000))
        do throws(ServerError) {
            _ = try PhoneRequest.Start(try context.body(PhoneVerificationBody.Start.self, limit: 4096))
        } catch {
            try expect(error.status < 500, "a request that cannot be parsed gets a 4xx status")
        }
        do throws(ServerError) {
            _ = try PhoneRequest.Check(try context.body(PhoneVerificationBody.Check.self, limit: 4096))
        } catch {
            try expect(error.status < 500, "a request that cannot be parsed gets a 4xx status")
        }
    }

    private static func readIdentity(_ input: FuzzInput) throws {
        guard let body = try? JSONParser.parse(input.bytes(0)) else { return }
        do throws(ServerError) {
            _ = try IdentityDraft(body)
        } catch {
            try expect(error.status == 400 && error.reason?.isEmpty == false, "a rejection has a reason")
        }
        if let hash = try? StoredHash(input.text(1)) {
            guard let again = try? StoredHash(hash.text) else {
                throw BrokenRule("a stored hash can be parsed again")
            }
            try expect(again.text == hash.text, "a hash has exactly one stored form")
        }
    }

    private static func readPatch(_ input: FuzzInput) throws {
        if let place = JSONPointer(input.text(2)) {
            let steps = place.steps.map { step in
                step.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
            }
            let written = steps.map { "/" + $0 }.joined()
            try expect(written.utf8.elementsEqual(input.text(2).utf8), "a parsed pointer keeps its text")
        }
        guard
            let body = try? JSONParser.parse(input.bytes(0)),
            let document = try? JSONParser.parse(input.bytes(1))
        else { return }
        do throws(JSONPatch.Failure) {
            let patched = try JSONPatch(body).applied(to: document)
            var writer = JSONWriter()
            writer.value(ordered: patched)
        } catch {
            try expect(!error.reason.isEmpty, "a rejection has a reason")
        }
    }

    /// Checks the target of a request line, which libmicrohttpd terminates with NUL.
    private static func readTarget(_ input: FuzzInput) throws {
        let sent = input.bytes(0).prefix { $0 != 0 }
        var text = sent.map { CChar(bitPattern: $0) } + [0]
        let target = text.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { RequestTarget(UnsafePointer($0)) }
        }
        guard let target, target.isWellFormed else { return }
        try expect(target.path.hasPrefix("/"), "a path begins with a slash")
        try expect(!target.path.contains("?"), "a path contains no query")
        guard target.authority == nil else { return }
        let whole = target.path + (target.query.map { "?" + $0 } ?? "")
        try expect(whole.utf8.elementsEqual(sent), "the path and the query together form the target")
    }

    private static func readPath(_ input: FuzzInput) throws {
        let pattern = PathPattern(input.text(0))
        guard let parameters = pattern.parameters(of: input.text(1)) else { return }
        try expect(
            parameters.allSatisfy { !$0.isEmpty && !$0.contains("/") },
            "a parameter is one segment of a path"
        )
        var rest = parameters[...]
        let parts = input.text(0).split(separator: "/", omittingEmptySubsequences: false)
        let path = parts.map { $0 == "{}" ? rest.popFirst() ?? "" : String($0) }.joined(separator: "/")
        try expect(path == input.text(1), "a pattern with its parameters inserted equals the path")
    }

    private static func readQuery(_ input: FuzzInput) throws {
        let query = QueryItems(input.text(0))
        do throws(ServerError) {
            let page = try PageRequest(query, keySize: 16)
            if !(1...PageRequest.greatestSize).contains(page.size) || page.key.map({ $0.count != 16 }) == true
            {
                throw ServerError(500)
            }
        } catch {
            try expect(error.status < 500, "an invalid page size gets a 4xx status")
        }
    }

    private static func readHeaders(_ input: FuzzInput) throws {
        var request = HTTP.Request(.get, "/")
        for (name, value) in input.pairs(0) { request.headers.fields.append(.init(name: name, value: value)) }
        let context = RequestContext(request, from: .inProcess, at: Timestamp(seconds: 1_800_000_000))
        if let token = context.sessionToken { try expect(!token.exposed.isEmpty, "a token is not empty") }
        _ = Language(acceptLanguage: input.text(0))
        _ = Language(acceptLanguage: String(Substring(decoding: input.bytes(1), as: UTF8.self)))
    }
}
