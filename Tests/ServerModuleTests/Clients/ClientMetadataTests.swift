import LatchkeyCrypto
import LatchkeyServerKit
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts

@Suite struct `Client metadata` {
    private static let rules = ClientRules(schemas: ["person", "customer"])

    private func read(_ text: String, _ rules: ClientRules? = rules) throws -> ClientMetadata {
        try ClientMetadata(try JSONParser.parse(Array(text.utf8)), rules: rules)
    }

    private func document(_ text: String) throws -> [String: JSONValue] {
        let document = OrderedJSON.object(try read(text).document).unordered
        guard case .object(let members) = document else { return [:] }
        return members
    }

    @Test func `An empty registration gets the defaults`() throws {
        let metadata = try read("{}")

        #expect(metadata.grantTypes == [.authorizationCode])
        #expect(metadata.scopes == ["openid", "offline_access"])
        #expect(metadata.authenticationMethod == .basic && metadata.isConfidential)
        #expect(metadata.applicationType == .web)
        #expect(metadata.idTokenAlgorithm == .rs256)
        #expect(!metadata.skipsConsent)
        #expect(metadata.lifespans.isEmpty)
        #expect(metadata.own.pkce == .required && metadata.own.signUp == .open)
        #expect(metadata.own.claimsInIDToken && !metadata.own.isDisabled && !metadata.own.isFirstParty)
        let document = try document("{}")
        #expect(document["response_types"] == .array([.string("code")]))
        #expect(document["subject_type"] == .string("public"))
        #expect(document["userinfo_signed_response_alg"] == .string("none"))
        #expect(document["client_secret_expires_at"] == .integer(0))
        #expect(document["skip_logout_consent"] == .null)
        #expect(document["refresh_token_grant_refresh_token_lifespan"] == .null)
        #expect(document["jwks"] == .object([:]) && document["metadata"] == .object([:]))
        #expect(document["id_token_signed_response_alg"] == nil)
        #expect(document["jwks_uri"] == nil)
    }

    @Test(arguments: [
        "client_name", "redirect_uris", "scope", "skip_consent", "latchkey", "metadata", "jwks",
    ])
    func `A null member is treated as missing`(name: String) throws {
        #expect(try document(#"{"\#(name)": null}"#) == document("{}"))
    }

    @Test(
        arguments: [
            (#""client_name": "Shop ☕""#, "client_name", "Shop ☕"),
            (
                #""client_uri": "http://shop.example.com/#about""#, "client_uri",
                "http://shop.example.com/#about"
            ),
            (
                #""logo_uri": "https://shop.example.com/logo.png""#, "logo_uri",
                "https://shop.example.com/logo.png"
            ),
            (#""scope": "profile  openid profile""#, "scope", "profile openid"),
            (#""scope": """#, "scope", "openid offline_access"),
            (#""owner": "team-a""#, "owner", "team-a"),
            (#""token_endpoint_auth_method": """#, "token_endpoint_auth_method", "client_secret_basic"),
            (
                #""token_endpoint_auth_method": "client_secret_post""#, "token_endpoint_auth_method",
                "client_secret_post"
            ),
            (#""id_token_signed_response_alg": "ES256""#, "id_token_signed_response_alg", "ES256"),
            (#""access_token_strategy": "opaque""#, "access_token_strategy", "opaque"),
            (#""jwks_uri": "https://shop.example.com/jwks""#, "jwks_uri", "https://shop.example.com/jwks"),
            (
                #""authorization_code_grant_access_token_lifespan": "90m""#,
                "authorization_code_grant_access_token_lifespan", "1h30m0s"
            ),
            (
                #""device_authorization_grant_id_token_lifespan": "1s""#,
                "device_authorization_grant_id_token_lifespan", "1s"
            ),
            (#""request_object_signing_alg": "RS256""#, "request_object_signing_alg", "RS256"),
            (#""userinfo_signed_response_alg": "RS256""#, "userinfo_signed_response_alg", "RS256"),
        ]
    )
    func `A text is stored in its normalized form`(member: String, name: String, text: String) throws {
        #expect(try document("{\(member)}")[name] == .string(text))
    }

    @Test(
        arguments: [
            (
                #""redirect_uris": ["https://a.example/cb", "https://a.example/cb"]"#, "redirect_uris",
                ["https://a.example/cb"]
            ),
            (
                #""post_logout_redirect_uris": ["com.example.a:/out"]"#, "post_logout_redirect_uris",
                ["com.example.a:/out"]
            ),
            (#""grant_types": []"#, "grant_types", ["authorization_code"]),
            (#""grant_types": ["refresh_token"]"#, "grant_types", ["refresh_token"]),
            (
                #""grant_types": ["urn:ietf:params:oauth:grant-type:token-exchange"]"#, "grant_types",
                ["urn:ietf:params:oauth:grant-type:token-exchange"]
            ),
            (#""response_types": []"#, "response_types", ["code"]),
            (#""audience": ["https://api.example.com"]"#, "audience", ["https://api.example.com"]),
            (
                #""allowed_cors_origins": ["https://APP.example.com:443", "http://localhost:3000"]"#,
                "allowed_cors_origins", ["https://app.example.com", "http://localhost:3000"]
            ),
            (#""contacts": ["a@example.com"]"#, "contacts", ["a@example.com"]),
            (#""request_uris": [], "audience": []"#, "audience", []),
        ] as [(String, String, [String])]
    )
    func `A list is stored without repetitions`(member: String, name: String, list: [String]) throws {
        #expect(try document("{\(member)}")[name] == .array(list.map { .string($0) }))
    }

    @Test func `Members without an effect and nested values are returned as they were sent`() throws {
        let document = try document(
            """
            {"metadata": {"a": {"b": [1, 2.5, null]}}, "jwks": {"keys": [{"kty": "EC"}]}, \
            "skip_logout_consent": true, "backchannel_logout_session_required": false, \
            "frontchannel_logout_uri": "https://a.example/out", "strange": 1, "client_id": "x", \
            "created_at": "2020-01-01T00:00:00Z", "registration_access_token": "x"}
            """
        )

        #expect(document["metadata"]?["a"]?["b"] == .array([.integer(1), .double(2.5), .null]))
        #expect(document["jwks"]?["keys"] != nil)
        #expect(document["skip_logout_consent"] == .bool(true))
        #expect(document["backchannel_logout_session_required"] == .bool(false))
        #expect(document["frontchannel_logout_uri"] == .string("https://a.example/out"))
        for name in ["strange", "client_id", "created_at", "registration_access_token"] {
            #expect(document[name] == nil, "\(name)")
        }
    }

    @Test func `Our own members are read`() throws {
        let own = try read(
            """
            {"latchkey": {"first_party": true, "app_to_app": true, "native_session": true, \
            "handover_from": ["other"], "pkce": "optional", "schemas": ["person"], "sign_up": "link", \
            "required_fields": [{"name": "birthdate", "minimum_age": 18}, {"name": "name", "required": false, \
            "minimum_length": 1, "maximum_length": 20}], "terms": ["tos"], "blocking": ["tos", "required_fields"], \
            "merchant": {"id": "m1", "name": "Shop", "kind": "internal"}, "claims_in_id_token": false, \
            "disabled": true, "allow_short_scheme": true, "previous_secret_expires_at": "x"}}
            """
        ).own

        #expect(own.isFirstParty && own.isAppToApp && own.opensNativeSessions)
        #expect(own.handoverFrom == ["other"] && own.schemas == ["person"] && own.terms == ["tos"])
        #expect(own.blocking == ["tos", "required_fields"])
        #expect(own.pkce == .optional && own.signUp == .link)
        #expect(own.requiredFields.map(\.name) == ["birthdate", "name"])
        #expect(own.requiredFields.map(\.isRequired) == [true, false])
        #expect(own.requiredFields[0].minimumAge == 18 && own.requiredFields[1].maximumLength == 20)
        #expect(own.merchant?.id == "m1" && own.merchant?.kind == .internal)
        #expect(!own.claimsInIDToken && own.isDisabled && own.allowsShortScheme)
    }

    @Test(
        arguments: [
            ("[]", "must be a JSON object"),
            ("1", "must be a JSON object"),
            (#"{"client_name": 1}"#, "client_name must be a string"),
            (
                #"{"client_name": "\#(String(repeating: "a", count: 257))"}"#,
                "client_name must not be longer than 256"
            ),
            (#"{"client_name": "Shop\u202egro.elpmaxe"}"#, "client_name must not contain control"),
            (#"{"client_name": "a\nb"}"#, "client_name must not contain control"),
            (#"{"client_uri": "javascript:alert(1)"}"#, "client_uri must be an http or https URL"),
            (#"{"policy_uri": "x"}"#, "policy_uri must be an http or https URL"),
            (#"{"tos_uri": "data:text/html,x"}"#, "tos_uri must be an http or https URL"),
            (#"{"logo_uri": "http://shop.example.com/logo.png"}"#, "logo_uri must be an https URL"),
            (#"{"logo_uri": "data:image/png;base64,AA"}"#, "logo_uri must be an https URL"),
            (#"{"redirect_uris": "https://a.example/cb"}"#, "redirect_uris must be an array of strings"),
            (#"{"redirect_uris": [1]}"#, "redirect_uris must be an array of strings"),
            (
                #"{"redirect_uris": ["https://a.example/cb", "http://b.example/cb"]}"#,
                "redirect_uris/1 must use https"
            ),
            (#"{"redirect_uris": ["http://localhost/cb"]}"#, "only native clients"),
            (#"{"redirect_uris": ["myapp:/cb"]}"#, "contains a dot"),
            (
                #"{"redirect_uris": [\#((1...21).map { "\"https://a.example/\($0)\"" }.joined(separator: ","))]}"#,
                "redirect_uris must not contain more than 20 URIs"
            ),
            (
                #"{"redirect_uris": ["https://a.example/\#(String(repeating: "a", count: 512))"]}"#,
                "longer than 512 bytes"
            ),
            (#"{"post_logout_redirect_uris": ["javascript:alert(1)"]}"#, "the scheme javascript"),
            (#"{"grant_types": ["implicit"]}"#, "It supports: authorization_code, refresh_token"),
            (#"{"grant_types": ["client_credentials"]}"#, "It supports: authorization_code, refresh_token"),
            (#"{"grant_types": ["password"]}"#, "It supports: authorization_code, refresh_token"),
            (
                #"{"grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]}"#,
                "It supports: authorization_code, refresh_token"
            ),
            (#"{"response_types": ["token"]}"#, "It supports: code"),
            (#"{"response_types": ["code", "code id_token"]}"#, "It supports: code"),
            (#"{"response_types": ["id_token"]}"#, "It supports: code"),
            (#"{"scope": ["openid"]}"#, "scope must be a string"),
            (#"{"scope": "openid \"x\""}"#, "scope contains a character"),
            (#"{"scope": "öpenid"}"#, "scope contains a character"),
            (#"{"token_endpoint_auth_method": "private_key_jwt"}"#, "It supports: none, client_secret_basic"),
            (#"{"token_endpoint_auth_method": "tls_client_auth"}"#, "It supports: none, client_secret_basic"),
            (#"{"application_type": "desktop"}"#, "It supports: web, native"),
            (#"{"id_token_signed_response_alg": "none"}"#, "It supports: RS256, ES256"),
            (#"{"id_token_signed_response_alg": "HS256"}"#, "It supports: RS256, ES256"),
            (#"{"request_object_signing_alg": "none"}"#, "request_object_signing_alg must not be none"),
            (
                #"{"token_endpoint_auth_signing_alg": "none"}"#,
                "token_endpoint_auth_signing_alg must not be none"
            ),
            (#"{"request_uris": ["https://a.example/request"]}"#, "request_uris is not supported"),
            (#"{"subject_type": "pairwise"}"#, "subject_type must be public"),
            (#"{"access_token_strategy": "magic"}"#, "access_token_strategy must be jwt or opaque"),
            (#"{"allowed_cors_origins": ["*"]}"#, "allowed_cors_origins must only contain origins"),
            (#"{"allowed_cors_origins": ["https://*.example.com"]}"#, "allowed_cors_origins must only"),
            (#"{"allowed_cors_origins": ["https://a.example/x"]}"#, "allowed_cors_origins must only"),
            (#"{"allowed_cors_origins": ["http://a.example"]}"#, "allowed_cors_origins must only"),
            (#"{"allowed_cors_origins": ["null"]}"#, "allowed_cors_origins must only"),
            (#"{"skip_consent": "true"}"#, "skip_consent must be true or false"),
            (#"{"skip_logout_consent": 1}"#, "skip_logout_consent must be true or false"),
            (#"{"metadata": 1}"#, "metadata must be an object"),
            (#"{"jwks": []}"#, "jwks must be an object"),
            (#"{"authorization_code_grant_access_token_lifespan": 60}"#, "must be a string"),
            (#"{"authorization_code_grant_access_token_lifespan": "999ms"}"#, "at least 1s"),
            (#"{"refresh_token_grant_refresh_token_lifespan": "0s"}"#, "at least 1s"),
            (#"{"refresh_token_grant_refresh_token_lifespan": "1d"}"#, "at least 1s"),
            (#"{"latchkey": 1}"#, "latchkey must be an object"),
            (#"{"latchkey": {"disbaled": true}}"#, "unknown member latchkey.disbaled"),
            (#"{"latchkey": {"a b": true}}"#, "an unknown member."),
            (#"{"latchkey": {"disabled": "yes"}}"#, "latchkey.disabled must be true or false"),
            (#"{"latchkey": {"pkce": "never"}}"#, "It supports: required, optional"),
            (#"{"latchkey": {"sign_up": "maybe"}}"#, "It supports: open, link, closed"),
            (#"{"latchkey": {"schemas": ["nope"]}}"#, "the unknown schema nope"),
            (#"{"latchkey": {"native_session": true}}"#, "requires latchkey.first_party"),
            (
                #"{"token_endpoint_auth_method": "none", "latchkey": {"pkce": "optional"}}"#,
                "only be optional for a client with a secret"
            ),
            (#"{"latchkey": {"merchant": {"name": "x"}}}"#, "latchkey.merchant.id is missing"),
            (#"{"latchkey": {"merchant": {"id": "x", "kind": "other"}}}"#, "It supports: internal, external"),
            (#"{"latchkey": {"required_fields": [{}]}}"#, "latchkey.required_fields/0.name is missing"),
            (
                #"{"latchkey": {"required_fields": [{"name": "x", "minimum_age": 0}]}}"#,
                "minimum_age must be an integer from 1 to 150"
            ),
            (
                #"{"latchkey": {"required_fields": [{"name": "x", "minimum_length": 5, "maximum_length": 4}]}}"#,
                "minimum_length is larger than maximum_length"
            ),
            (#"{"latchkey": {"required_fields": [{"name": "x", "size": 5}]}}"#, "unknown member"),
            (
                #"{"metadata": {"a": "\#(String(repeating: "a", count: 16_384))"}}"#,
                "metadata is larger than 16384 bytes"
            ),
        ]
    )
    func `Invalid metadata is rejected with the name of the member`(body: String, reason: String) {
        let error = #expect(throws: ServerError.self) { try read(body) }

        #expect(error?.status == 400)
        #expect(error?.reason?.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        #"{"redirect_uris": ["http://b.example/cb"]}"#, #"{"allowed_cors_origins": ["http://a.example"]}"#,
        #"{"redirect_uris": ["http://localhost/cb"]}"#,
    ])
    func `HTTP is accepted for development only if the operator allows it`(body: String) throws {
        var settings = ClientSettings()
        settings.allowsHTTPRedirects = true

        #expect(throws: ServerError.self) { try read(body) }
        #expect(throws: Never.self) { try read(body, ClientRules(settings, schemas: [])) }
    }

    @Test func `A native client can use localhost, and a short scheme needs permission`() throws {
        let localhost = #"{"application_type": "native", "redirect_uris": ["http://localhost/cb"]}"#
        let short = #"{"redirect_uris": ["myapp:/cb"], "latchkey": {"allow_short_scheme": true}}"#

        #expect(try read(localhost).allows(redirectURI: "http://localhost:5000/cb"))
        #expect(try read(short).allows(redirectURI: "myapp:/cb"))
        #expect(try !read(short).allows(redirectURI: "myapp:/other"))
    }

    @Test func `Stored metadata can be read after the rules have become stricter`() throws {
        var settings = ClientSettings()
        settings.allowsHTTPRedirects = true
        settings.redirectURIs = 30
        let uris = (1...30).map { #""http://a.example/\#($0)""# }.joined(separator: ",")
        let body = #"{"redirect_uris": [\#(uris)], "latchkey": {"schemas": ["gone"]}}"#
        let stored = try read(body, ClientRules(settings, schemas: ["gone"]))

        let again = try read(String(decoding: stored.json, as: UTF8.self), nil)

        #expect(again.redirectURIs == stored.redirectURIs)
        #expect(again.document == stored.document)
        #expect(again.own.schemas == ["gone"])
    }

    @Test func `The limits are settings`() throws {
        var settings = ClientSettings()
        settings.redirectURIs = 1
        settings.metadataKiB = 3
        let rules = ClientRules(settings, schemas: [])

        #expect(throws: ServerError.self) {
            try read(#"{"redirect_uris": ["https://a.example/1", "https://a.example/2"]}"#, rules)
        }
        let padding = String(repeating: "a", count: 2048)
        #expect(throws: ServerError.self) { try read(#"{"metadata": {"a": "\#(padding)"}}"#, rules) }
        #expect(throws: Never.self) { try read(#"{"metadata": {"a": "\#(padding)"}}"#) }
    }
}
