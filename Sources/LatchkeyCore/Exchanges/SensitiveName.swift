/// The kind of sensitive value that the name of a member, a field or a query item indicates.
enum SensitiveName {
    /// A password, a code, a token or a key.
    case secret
    /// A phone number.
    case phone
    /// An e-mail address.
    case email

    /// The endings that identify names of secrets, in lower case, without underscores and hyphens.
    private static let secretEnds = [
        "token", "tokens", "secret", "secrets", "password", "passwords", "passwd", "pwd", "passphrase",
        "passcode",
        "code", "codes", "otp", "pin", "pins", "key", "keys", "assertion", "jwt", "credential", "credentials",
        "authorization", "cookie", "cookies", "signature", "verifier", "ticket", "tokenhint", "samlresponse",
        "sessionid", "cvc", "cvv", "cvn", "csc", "cardnumber", "iban", "ssn",
    ]

    private static let phoneEnds = ["phone", "phonenumber", "mobile", "mobilenumber", "msisdn"]
    private static let emailEnds = ["email", "emailaddress", "mail"]

    /// The members that contain the name of an input; the `value` member of the same object contains that
    /// input's value, as in the nodes of a form.
    private static let naming = ["name", "key", "id", "field", "parameter"]

    /// The members in which a number from 100 to 599 is a status rather than a one-time code.
    private static let statuses = ["code", "statuscode", "errorcode"]

    /// Returns the kind that a name indicates, or `nil` if it indicates none.
    init?(_ name: String) {
        let name = Self.normalized(name)
        func ends(with list: [String]) -> Bool {
            list.contains { name.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
        if ends(with: Self.secretEnds) {
            self = .secret
        } else if ends(with: Self.phoneEnds) {
            self = .phone
        } else if ends(with: Self.emailEnds) {
            self = .email
        } else {
            return nil
        }
    }

    /// The text that is shown in place of a value.
    var mark: String {
        switch self {
        case .secret: "‹secret›"
        case .phone: "‹phone›"
        case .email: "‹email›"
        }
    }

    /// Returns whether a member contains the name of the input whose value is in the `value` member of the
    /// same object.
    static func isNaming(_ name: String) -> Bool {
        isAny(of: naming, name)
    }

    /// Returns whether a member contains the value of the input that another member of the object names.
    static func isValue(_ name: String) -> Bool {
        isAny(of: ["value"], name)
    }

    /// Returns whether a number is a status: a number from 100 to 599 in a member whose name denotes a
    /// status.
    static func isStatus(_ name: String, value number: Int) -> Bool {
        (100...599).contains(number) && isAny(of: statuses, name)
    }

    // Compares bytes, because a response could contain strings that are slow to normalize as Unicode.
    private static func isAny(of list: [String], _ name: String) -> Bool {
        let name = normalized(name)
        return list.contains { name.elementsEqual($0.utf8) }
    }

    /// Returns a name in lower case, without separators.
    private static func normalized(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["),
                UInt8(ascii: "]"),
                UInt8(ascii: " "):
                nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }
}
