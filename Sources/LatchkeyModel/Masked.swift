/// Personal data as it is shown in printed values.
///
/// Types with personal data list their members in a `customMirror` and wrap the personal ones in this type.
/// `print`, string interpolation, `String(reflecting:)` and `dump` all read the mirror, so none of them shows
/// the data.
package struct Masked: CustomStringConvertible, CustomReflectable {
    package let description: String

    /// Masks a text, which shows only the last two digits of a phone number or the domain of an e-mail
    /// address.
    package init(_ text: String) {
        description = ContactAddress(text)?.description ?? "…"
    }

    /// Masks a value completely.
    package init() {
        description = "…"
    }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
