package import LatchkeyAccounts

extension AuditAction {
    /// An operator published a version of a document.
    ///
    /// The subject consists of the document's key and the version's number.
    package static let termsPublished = AuditAction(rawValue: "terms.published")
    /// An operator added a translation to a published version.
    ///
    /// The subject consists of the document's key, the version's number and the language.
    package static let termsTextAdded = AuditAction(rawValue: "terms.text_added")
    /// An operator changed the titles of a document.
    ///
    /// The subject is the document's key.
    package static let termsTitlesChanged = AuditAction(rawValue: "terms.titles_changed")
}
