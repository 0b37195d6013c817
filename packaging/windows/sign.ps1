# Signs the files named, where there is a certificate: WINDOWS_CERTIFICATE (a .pfx in base64) and
# WINDOWS_CERTIFICATE_PASSWORD in the environment. Without one it says so and leaves them as they are.
param([Parameter(Mandatory = $true, ValueFromRemainingArguments = $true)][string[]] $Files)
$ErrorActionPreference = 'Stop'

if (-not $env:WINDOWS_CERTIFICATE) {
    Write-Host "Not signed, as there is no certificate: $($Files -join ', ')"
    exit 0
}
$signtool = Get-ChildItem "${env:ProgramFiles(x86)}\Windows Kits\10\bin\10.*\x64\signtool.exe" |
    Sort-Object { [version]$_.Directory.Parent.Name } | Select-Object -Last 1
if (-not $signtool) { throw 'signtool.exe of the Windows SDK is not here.' }
$certificate = Join-Path ([IO.Path]::GetTempPath()) "spanlight-$PID.pfx"
try {
    [IO.File]::WriteAllBytes($certificate, [Convert]::FromBase64String($env:WINDOWS_CERTIFICATE))
    & $signtool.FullName sign /f $certificate /p $env:WINDOWS_CERTIFICATE_PASSWORD /fd SHA256 `
        /tr http://timestamp.digicert.com /td SHA256 /d Spanlight $Files
    if ($LASTEXITCODE -ne 0) { throw "signtool ended with $LASTEXITCODE." }
} finally {
    Remove-Item $certificate -Force -ErrorAction SilentlyContinue
}
