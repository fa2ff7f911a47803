/// The flags of every command that does an operator's work.
enum OperatorOptions {
    static let url = Option(
        "admin-url",
        "URL",
        "The operator's listener of a server that runs, with --admin-token where it wants one; without it, the work is done on the data. Also LATCHKEY_ADMIN_URL."
    )

    static let all = [Option("json", nil, "Print JSON."), url] + ConfigurationOptions.all

    static let detail =
        "Works on the data of the configuration, whether or not a server runs on it, or through the operator's API of --admin-url."
}
