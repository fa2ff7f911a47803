// swift-tools-version: 6.2
import PackageDescription

// An app outside this package that links one compatibility module and nothing else.
// `scripts/check` builds it and looks at the libraries that it pulls in.
let package = Package(
    name: "linkage-app",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "../..")],
    targets: [
        .executableTarget(
            name: "LinkageApp",
            dependencies: [.product(name: "VipasoSDK", package: "latchkey")]
        )
    ]
)
