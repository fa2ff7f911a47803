import LatchkeyModel
package import LatchkeyServerKit

extension SettingKind<[String]> {
    /// A list of calling codes such as `46`, with or without a leading `+`.
    package static let callingCodes = SettingKind(wanted: "a list of calling codes such as 46") {
        input throws(SettingMismatch) in
        let codes = try list.read(input).map { $0.hasPrefix("+") ? String($0.dropFirst()) : $0 }
        if let other = codes.first(where: { !PhoneNumber.isCallingCode($0) }) {
            throw SettingMismatch("contains \"\(other)\", which is not a calling code such as 46")
        }
        return codes
    } show: {
        list.show($0)
    }
}
