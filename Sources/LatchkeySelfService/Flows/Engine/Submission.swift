package import LatchkeyAccounts
package import LatchkeyServerKit
package import LatchkeyWire

/// The parsed body of a submission to a flow.
///
/// JSON and form bodies are decoded into the same kind of object, with the traits nested under `traits`.
package struct Submission: Sendable {
    /// Why a request body was rejected.
    package struct Refusal: Error, Sendable {
        /// The reason as an English sentence.
        ///
        /// The form shows this text to the user as message 4000001.
        package let reason: String
    }

    /// The body as a JSON object.
    ///
    /// Each flow validates the members that it uses.
    package let body: OrderedJSON

    /// The method that the submission names, or `nil` if it is missing, empty or not a string.
    ///
    /// If the name is longer than any method name, this is ``otherMethod`` instead.
    package var method: String? {
        guard case .string(let method)? = body["method"], !method.isEmpty else { return nil }
        return method.utf8.count <= Self.methodLimit ? method : Self.otherMethod
    }

    /// The maximum length of a method name in bytes.
    ///
    /// Longer names are replaced by ``otherMethod``.
    private static let methodLimit = 32

    /// The maximum number of form fields.
    ///
    /// Parsing a very large number of empty fields would take longer than hashing a password.
    private static let maxFormFields = 256
    /// The name of a method that doesn't exist, which is used in place of names that are too long.
    private static let otherMethod = "other"

    /// Whether the user asks for another code instead of entering the one that was sent.
    package var asksForAnotherCode: Bool { optionalText("resend") != nil }

    /// Returns a string member, or `nil` if it is missing, empty or of another type.
    package func optionalText(_ name: String) -> String? {
        if case .string(let text)? = value(name), !text.isEmpty { text } else { nil }
    }

    /// Returns the value of a member of the body.
    ///
    /// If a code was submitted as a number, its leading zeros are restored.
    private func value(_ name: String) -> OrderedJSON? {
        let value = body[name]
        guard name == "code", case .integer(let number)? = value, (0..<1_000_000).contains(number) else {
            return value
        }
        let digits = String(number)
        return .string(String(repeating: "0", count: 6 - digits.utf8.count) + digits)
    }

    /// Returns a required string.
    ///
    /// If the string is missing or empty, adds an error to the field and returns `nil`.
    ///
    /// Null is treated as missing. If the value has any other type, that type is included in the context of
    /// the error message.
    package func text(_ name: String, into form: inout Form) -> String? {
        switch value(name) {
        case .string(let text)? where !text.isEmpty: return text
        case nil, .string?, .null?: form.refuse(name, with: .missing(name))
        case let value?: form.refuse(name, with: .wrongType(value.unordered, expected: "string"))
        }
        return nil
    }

    /// Parses the JSON or form body of a request.
    ///
    /// An empty body is treated as an empty object.
    ///
    /// Other media types are rejected, as are invalid UTF-8 and input that would be expensive to store or compare: forms
    /// with more than 256 fields, U+0000, and long runs of combining marks.
    ///
    /// The fields of a form are its traits and the ones with the given names.
    ///
    /// Returns the submission, or the reason for the rejection, which the form shows.
    package static func read(
        _ request: HTTP.Request,
        by schema: IdentitySchema,
        fields: [String]
    ) -> Result<Submission, Refusal> {
        guard !request.body.isEmpty else { return .success(Submission(body: .object([]))) }
        switch request.mediaType {
        case "application/json":
            do {
                let body = try JSONParser.parse(request.body)
                guard case .object = body else { return refuse("The body must be a JSON object.") }
                return .success(Submission(body: try DottedFields.expand(body, by: schema)))
            } catch let refusal as Refusal {
                return .failure(refusal)
            } catch let failure as JSONParser.Failure {
                return refuse(failure.refusal)
            } catch {
                return refuse("The body is not valid JSON.")
            }
        case "application/x-www-form-urlencoded":
            guard !NullCharacter.occurs(in: request.body) else {
                return refuse("The body contains the character U+0000, which is not allowed.")
            }
            guard request.body.count(where: { $0 == UInt8(ascii: "&") }) < Self.maxFormFields else {
                return refuse("The form has more than \(Self.maxFormFields) fields.")
            }
            let items = QueryItems(encoded: request.body)
            if let failure = items.failure { return refuse("The body is \(failure).") }
            guard items.texts.allSatisfy(CombiningMarks.areFew) else { return refuse(CombiningMarks.reason) }
            return .success(Submission(body: FormEncoding.decode(items, by: schema, fields: fields)))
        default:
            return refuse(
                "The Content-Type must be application/json or application/x-www-form-urlencoded."
            )
        }
    }

    private static func refuse(_ reason: String) -> Result<Submission, Refusal> {
        .failure(Refusal(reason: reason))
    }
}
