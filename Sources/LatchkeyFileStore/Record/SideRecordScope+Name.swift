package import LatchkeyCore

extension SideRecordScope {
    /// Returns the id under which an app's side records are stored.
    ///
    /// App ids do not contain `#`, so the result never equals the id of another app.
    package func recordName(of app: String) -> String { "\(app)#side#\(rawValue)" }
}
