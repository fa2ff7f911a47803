import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServerKit

@Suite struct `Rules of clients for fields` {
    private static let schema = """
        \(IdentitySchema.nameProperty), "birthday": {"type": "string", "format": "date"}, \
        "nick": {"type": "string"}, "code": {"type": "string", "minLength": 4, "maxLength": 8}, \
        "count": {"type": "integer"}, "agrees": {"type": "boolean"}, \
        "home": {"type": "object", "properties": {"city": {"type": "string"}}}
        """

    /// Returns the rules of a client, read as if it had been registered before there were checks.
    static func rules(
        _ members: String,
        schema: IdentitySchema,
        at now: Timestamp = Timestamp(seconds: 0)
    ) throws -> FieldRules? {
        let text = #"{"latchkey": {"required_fields": [\#(members)]}}"#
        let metadata = try ClientMetadata(JSONParser.parse(Array(text.utf8)), rules: nil)
        let client = OAuthClient(
            id: "shop",
            metadata: metadata,
            secrets: ClientSecrets(),
            createdAt: now,
            updatedAt: now
        )
        return FieldRules(of: client, for: schema, at: now)
    }

    private func verdict(
        _ rule: String,
        _ value: String?,
        on today: String = "2026-11-30T12:00:00Z"
    ) throws -> FieldVerdict {
        let schema = try IdentitySchema.sample("own", properties: Self.schema)
        let now = try #require(Timestamp(rfc3339: today))
        let rules = try #require(try Self.rules(rule, schema: schema, at: now))
        let parsed = try value.map { try JSONParser.parse(Array($0.utf8)) }
        return rules.verdict(of: try #require(rules.all.first), on: parsed)
    }

    @Test(
        arguments: [
            // A birthday counts from the beginning of the day in UTC.
            ("2008-11-30", "2026-11-30T00:00:00Z", .fulfilled),
            ("2008-11-30", "2026-11-29T23:59:59Z", .tooYoung(minimum: 18)),
            ("2008-11-30", "2026-11-30T13:30:00+14:00", .tooYoung(minimum: 18)),
            ("2008-11-30", "2026-11-29T12:30:00-12:00", .fulfilled),
            ("2008-12-01", "2026-11-30T00:00:00Z", .tooYoung(minimum: 18)),
            ("1900-01-01", "2026-11-30T00:00:00Z", .fulfilled),
            // A birthday on 29 February.
            ("2008-02-29", "2026-02-28T23:59:59Z", .tooYoung(minimum: 18)),
            ("2008-02-29", "2026-03-01T00:00:00Z", .fulfilled),
            ("2006-02-28", "2024-02-28T00:00:00Z", .fulfilled),
            ("2010-03-01", "2028-02-29T00:00:00Z", .tooYoung(minimum: 18)),
            // A date in the future.
            ("2030-01-01", "2026-11-30T00:00:00Z", .tooYoung(minimum: 18)),
            ("9999-12-31", "2026-11-30T00:00:00Z", .tooYoung(minimum: 18)),
            // A birthday without a year.
            ("0000-05-17", "2026-11-30T00:00:00Z", .withoutYear),
            ("0000-02-29", "2026-11-30T00:00:00Z", .withoutYear),
            ("0001-01-01", "2026-11-30T00:00:00Z", .fulfilled),
            // Texts that aren't dates.
            ("2007-02-29", "2026-11-30T00:00:00Z", .malformed),
            ("2007-13-01", "2026-11-30T00:00:00Z", .malformed),
            ("1990-1-1", "2026-11-30T00:00:00Z", .malformed),
            ("1990-01-01T00:00:00Z", "2026-11-30T00:00:00Z", .malformed),
            ("１９９０-01-01", "2026-11-30T00:00:00Z", .malformed),
            ("", "2026-11-30T00:00:00Z", .missing),
        ] as [(String, String, FieldVerdict)]
    )
    func `A minimum age is counted in whole years on the current date in UTC`(
        birthday: String,
        today: String,
        expected: FieldVerdict
    ) throws {
        let rule = #"{"name": "birthday", "minimum_age": 18}"#
        #expect(try verdict(rule, #""\#(birthday)""#, on: today) == expected)
    }

    @Test func `A birthday without a year is enough if there is no minimum age`() throws {
        #expect(try verdict(#"{"name": "birthday"}"#, #""0000-05-17""#) == .fulfilled)
    }

    @Test(
        arguments: [
            ("ab", .tooShort(2, minimum: 3)), ("abc", .fulfilled), ("abcde", .fulfilled),
            ("abcdef", .tooLong(6, maximum: 5)),
            // Both spellings of é are one character.
            ("\u{E9}t\u{E9}", .fulfilled), ("e\u{301}te\u{301}", .fulfilled),
            ("\u{E9}t", .tooShort(2, minimum: 3)), ("e\u{301}t", .tooShort(2, minimum: 3)),
            // An emoji can consist of several characters.
            ("😀", .tooShort(1, minimum: 3)), ("😀😀😀", .fulfilled), ("👩‍👩‍👧", .fulfilled),
            ("李小龍", .fulfilled),
            // White space counts, but isn't a value by itself.
            ("a b", .fulfilled), ("", .missing), ("   ", .missing), ("\t\n\u{A0}", .missing),
            ("\u{3000}\u{3000}\u{3000}", .missing), ("\u{200B}\u{200D}\u{FEFF}", .missing),
            ("\u{202E}\u{2066}\u{0007}", .missing),
        ] as [(String, FieldVerdict)]
    )
    func `Lengths are counted in the Unicode scalars of the composed text`(
        text: String,
        expected: FieldVerdict
    ) throws {
        var writer = JSONWriter()
        writer.string(text)
        let rule = #"{"name": "nick", "minimum_length": 3, "maximum_length": 5}"#
        #expect(try verdict(rule, String(decoding: writer.bytes, as: UTF8.self)) == expected)
    }

    @Test(
        arguments: [
            ("nick", nil, .missing), ("nick", "null", .missing), ("nick", "1", .malformed),
            ("nick", #"["a"]"#, .malformed), ("nick", #"{"a": 1}"#, .malformed), ("nick", "true", .malformed),
            ("birthday", "20000101", .malformed), ("count", "0", .fulfilled), ("count", "-3", .fulfilled),
            ("count", "1e400", .fulfilled), ("count", #""1""#, .malformed), ("count", nil, .missing),
            ("agrees", "false", .fulfilled), ("agrees", "true", .fulfilled), ("agrees", "0", .malformed),
            ("home.city", #""Oslo""#, .fulfilled), ("home.city", nil, .missing),
        ] as [(String, String?, FieldVerdict)]
    )
    func `A value of another type doesn't fulfil a rule`(name: String, value: String?, expected: FieldVerdict)
        throws
    {
        #expect(try verdict(#"{"name": "\#(name)"}"#, value) == expected)
    }

    @Test(
        arguments: [
            #"{"name": "missing"}"#, #"{"name": "home"}"#, #"{"name": "traits.nick"}"#,
            #"{"name": "NICK"}"#, #"{"name": "nick", "minimum_age": 18}"#,
            #"{"name": "count", "minimum_length": 1}"#, #"{"name": "agrees", "maximum_length": 1}"#,
            #"{"name": "birthday", "minimum_length": 11}"#, #"{"name": "code", "minimum_length": 9}"#,
            #"{"name": "code", "maximum_length": 3}"#,
        ]
    )
    func `A rule that no account with the schema can fulfil is ignored`(rule: String) throws {
        let schema = try IdentitySchema.sample("own", properties: Self.schema)
        #expect(try Self.rules(rule, schema: schema) == nil)
        let both = try Self.rules(rule + #", {"name": "nick"}"#, schema: schema)
        #expect(both?.all.map(\.field.name) == ["traits.nick"])
    }

    @Test(
        arguments: [
            (#"[{"name": "birthday", "minimum_age": 18}]"#, "[]", nil),
            (#"[{"name": "birthday", "minimum_age": 18}]"#, #"["reader"]"#, nil),
            (
                #"[{"name": "birthday", "minimum_age": 18}]"#, #"["person"]"#,
                "required_fields/0.name is not a"
            ),
            (#"[{"name": "name.given"}, {"name": "name.first"}]"#, "[]", nil),
            (
                #"[{"name": "name.given"}, {"name": "name.first"}]"#, #"["reader"]"#,
                "required_fields/1.name is"
            ),
            // The name is an object in one schema and a text in the other.
            (#"[{"name": "name", "minimum_length": 2}]"#, #"["reader", "person"]"#, nil),
            (#"[{"name": "name"}]"#, #"["reader"]"#, "required_fields/0.name is not a trait"),
            (#"[{"name": "name_given"}]"#, "[]", "required_fields/0.name is not a trait"),
            (#"[{"name": "traits.birthday"}]"#, "[]", "required_fields/0.name is not a trait"),
            (#"[{"name": "display_name", "minimum_age": 18}]"#, "[]", "required_fields/0 has a rule"),
            (#"[{"name": "birthday", "minimum_length": 3}]"#, "[]", "required_fields/0 has a rule"),
            (#"[{"name": "display_name", "minimum_length": 101}]"#, "[]", "required_fields/0 has a rule"),
            (#"[{"name": "display_name", "minimum_length": 100}]"#, "[]", nil),
            (
                #"[{"name": "email"}, {"name": "email", "required": false}]"#, "[]",
                "fields/1.name is the same"
            ),
        ] as [(String, String, String?)]
    )
    func `A registration is refused if a rule fits no account that can log in`(
        fields: String,
        schemas: String,
        reason: String?
    ) throws {
        let rules = ClientRules(schemas: try SchemaCatalog(standard: "person"))
        let text = #"{"latchkey": {"required_fields": \#(fields), "schemas": \#(schemas)}}"#
        let json = try JSONParser.parse(Array(text.utf8))
        do throws(ServerError) {
            _ = try ClientMetadata(json, rules: rules)
            #expect(reason == nil)
        } catch {
            #expect(error.status == 400)
            let reason = try #require(reason, "\(error.reason ?? "")")
            #expect(error.reason?.contains(reason) == true, "\(error.reason ?? "")")
        }
        // A client that was stored earlier is still read.
        #expect(throws: Never.self) { try ClientMetadata(json, rules: nil) }
    }

    @Test(
        arguments: [
            #""traits":{"nick":"a","home":{"city":"Oslo"},"birthday":"2000-01-01","count":3,"agrees":true}"#,
            #""external_id":"\"traits\":{\"nick\":\"x\"}","state":"active","traits":{"nick":"b"},"x":{"traits":1}"#,
            #""state":"a","traits":{"other":{"nick":"no","home":{"city":"no"}},"list":[{"nick":1},"}"],"nick":"ø\\\"}"}"#,
            #""metadata_public":{"traits":{"nick":"no"}},"traits":{"home":{"x":{"city":1},"city":"Å"}}"#,
            #""traits":{}"#, #""traits":{"home":{}}"#, #""traits":{"home":"x","nick":null}"#,
            #""a": 1 , "traits" : { "nick" : "sp ace" , "count" : -1.5e3 } "#,
            #""a":[[],{},"x",1,null,true],"traits":{"count":12345678901234567890,"agrees":false}"#,
            #""traits":[]"#, #""other":1"#, "",
        ]
    )
    func `Scanning the stored members finds the same values as parsing them`(members: String) throws {
        let schema = try IdentitySchema.sample("own", properties: Self.schema)
        let parsed = try JSONParser.parse(Array("{\(members)}".utf8), from: .storage)["traits"]
        let stored = StoredTraits(in: Array(members.utf8))
        for field in schema.fields {
            let expected = field.path.reduce(parsed) { value, name in value?[name] }
            #expect(stored.value(of: field) == expected, "\(field.name)")
        }
    }
}
